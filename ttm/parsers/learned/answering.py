"""Whether to answer, to ask back or to refuse, and in what words; and which words of a message no reading rests on."""

from collections.abc import Sequence

from ttm.language.describe_parse import parse_words
from ttm.language.parse import number_text
from ttm.parsers.learned.decisions.span_decisions import Decisions, all_tokens
from ttm.parsers.linker.words.tokens import TokenKind
from ttm.parsers.understanding import DialogueContext, ParseCandidate, Understanding
from ttm.tabular.data.schema import Schema

ANSWERED = 0.3  # probability from which a reading is answered: a wrong answer costs more than a question back
OFFERED = 0.1  # from which it is offered in a question back
REFUSED = 0.0  # log-odds of "no operation answers this"
CHATS = ("Thank you.", "You are welcome.")


def answer_or_ask(
    decisions: Decisions,
    candidates: tuple[ParseCandidate, ...],
    problems: Sequence[str],
    schema: Schema,
    context: DialogueContext,
) -> Understanding:
    """What is done about a message, from the probabilities of its readings and of its being no request."""
    scores = decisions.ingredients
    best = candidates[0].confidence if candidates else 0.0
    verdict = max(("chat", "refuse", "ask"), key=lambda name: scores[name])
    utterance = decisions.utterance
    if scores["chat"] > 0 and verdict == "chat" and best < 0.6:
        return Understanding(utterance, (), False, f"{_manners(decisions)} {offer(schema)}")
    if scores["refuse"] > REFUSED and verdict == "refuse" and best < ANSWERED:
        return Understanding(utterance, candidates, False, f"I cannot answer that from this data and model. {offer(schema)}")
    unused = unused_words(decisions, candidates)
    if candidates and best >= ANSWERED and scores["ask"] < 1.5:
        return Understanding(utterance, candidates, True, None, unused)
    return Understanding(utterance, candidates, True, _question(candidates, problems, schema))


def _question(candidates: Sequence[ParseCandidate], problems: Sequence[str], schema: Schema) -> str:
    if problems:
        return problems[0]
    offered = [one for one in candidates if one.confidence >= OFFERED][:3]
    if len(offered) < 2:
        return f"I am not sure what you mean. Can you say it in other words? {offer(schema)}"
    words = " ".join(
        f"({number}) {parse_words(one.parse, schema).removeprefix('You asked: ')}" for number, one in enumerate(offered, 1)
    )
    return f"Which do you mean: {words}?"


def _manners(decisions: Decisions) -> str:
    words = {token.text for token in decisions.tokens}
    if words & {"bye", "goodbye", "cya", "farewell"}:
        return "Goodbye."
    if words & {"hello", "hi", "hey", "morning", "evening", "greetings", "hiya"}:
        return "Hello!"
    return (
        "You are welcome." if any(word.startswith(("thank", "thx", "cheer", "ta", "merci")) for word in words) else "All right."
    )


def offer(schema: Schema) -> str:
    """The nearest things that can be asked, in the words of the data set."""
    feature = schema.features[0].label if schema.features else "a column"
    return (
        "I can answer questions about this data and the model's predictions: for instance why it predicts something, how "
        f"important {feature} is, what would change a prediction, or how often the model is right."
    )


def unused_words(decisions: Decisions, candidates: Sequence[ParseCandidate]) -> tuple[str, ...]:
    """Numbers and names of the data that the best reading does not hold, as they were typed."""
    if not candidates:
        return ()
    text = f" {candidates[0].parse} "
    left: list[str] = []
    aside = all_tokens(decisions.of_role("reference", "count"))
    for at, token in enumerate(decisions.tokens):
        if token.kind is TokenKind.NUMBER and token.form not in ("ordinal", "spoken") and at not in aside:
            forms = {number_text(value) for value in (token.value, token.value / 100, -token.value)}
            if not any(f" {form} " in text for form in forms):
                left.append(decisions.utterance[token.start : token.end])
    for span in decisions.of_role("condition", "compared", "change", "case"):
        feature = span.links[0][0].feature if span.links and span.links[0][0] is not None else None
        if feature is not None and f" {feature.token} " not in text:
            left.append(decisions.utterance[span.tokens[0].start : span.tokens[-1].end])
    return tuple(dict.fromkeys(left))
