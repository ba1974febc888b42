"""The readings of a message with what the ranking of the evidence and the language model think of them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from backend.models.boosted_trees import Array
from ttm.language.parse import Parse
from ttm.parsers.learned.assumption import spelled_out
from ttm.parsers.learned.decoder.decoded_readings import with_request
from ttm.parsers.learned.second_opinion.second_reader import SecondReader
from ttm.parsers.learned.second_opinion.weighing import asked_about, opinion_features, verdict_log_odds
from ttm.parsers.understanding import DialogueContext


@dataclass(frozen=True)
class TwoOpinions:
    """`parses` that both were asked about, and the one that the model wrote itself; `features` (parses, FEATURES) of
    `weighing.py`; `verdicts`: log-odds by the model that no parse is meant."""

    parses: tuple[Parse, ...]
    features: Array
    verdicts: Mapping[str, float]


def two_opinions(
    second: SecondReader,
    utterance: str,
    context: DialogueContext,
    parses: Sequence[Parse],
    stated: Array,
    shares: Array,
    read: Callable[[str], Parse | None],
) -> TwoOpinions | None:
    """`stated` and `shares` (parses,) are those of the ranking; `read` gives the parse of a text if the message can mean it."""
    asked = asked_about(shares)
    forms = [_forms(spelled_out(parses[at], context)) for at in asked]
    opinion = second.opinion(utterance, context, forms)
    if opinion is None:
        return None
    written = read(opinion.written) if opinion.written is not None else None
    if written is not None:
        opinion = opinion.merged([str(written) in own for own in forms])
    features = opinion_features(stated[asked], shares[asked], opinion, context, len(utterance.split()))
    both = [parses[at] for at in asked]
    if opinion.written is not None and written is not None:
        both.append(written)
    return TwoOpinions(tuple(both), features[: len(both)], verdict_log_odds(opinion))


def _forms(parse: Parse) -> list[str]:
    """A parse as it may be written: what it asks for goes without saying where that alone can be meant."""
    short = Parse(parse.steps[:-1])
    return [str(parse), str(short)] if short.steps and with_request(short) == parse else [str(parse)]
