"""The door: sign in by name and access code, or with Hugging Face. A personal link (?study=...&worker=...) passes it by."""

from annotation.studies.shelf import OpenStudies
from annotation.web.asked import Reply
from annotation.web.making.pages import begin_here
from annotation.web.prose import line_field, page_macros
from annotation.words.catalogue import in_browser, to_translate, translate

HTML = page_macros(__file__)
HUGGING_FACE = to_translate("Sign in with Hugging Face")


def door(shelf: OpenStudies, hugging_face: bool = False) -> Reply:
    """`hugging_face`: whether one can sign in with such an account here."""
    names = shelf.names()
    first = begin_here(shelf)
    if not names:
        return {"html": str(first or HTML("no_study")), **in_browser()}
    studies = [(name, shelf.study(name).plan.file.title) for name in names]
    fields = line_field("name", translate("Name"), autocomplete="username")
    fields += line_field("code", translate("Access code"), kind="password", autocomplete="current-password")
    form = HTML("door", studies, fields, translate(HUGGING_FACE) if hugging_face else "")
    return {"html": str(first + form), **in_browser()}
