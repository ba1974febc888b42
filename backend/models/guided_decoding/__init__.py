"""Guided decoding, which holds what a model writes to a grammar: one Lark text, for any vocabulary by llguidance, for servers
as GBNF.

A sentence is decoded only if every token of it was allowed where it stood; what a sentence means is not known here.
"""

from backend.models.guided_decoding.gbnf import gbnf
from backend.models.guided_decoding.guidance import Guidance, GuidedVocabulary, allowed_by
from backend.models.guided_decoding.token_texts import TokenTexts, of_tokenizer, of_vocabulary

__all__ = ["Guidance", "GuidedVocabulary", "TokenTexts", "allowed_by", "gbnf", "of_tokenizer", "of_vocabulary"]
