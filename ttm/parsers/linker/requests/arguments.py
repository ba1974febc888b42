"""From the cues of an utterance to operations with their arguments, as surfaces of the parse language."""

from collections.abc import Callable

from ttm.parsers.linker.requests.cue_context import FEATURES, CueContext
from ttm.parsers.linker.requests.operation_cues import CueMatch
from ttm.parsers.linker.requests.ranking import ranked
from ttm.parsers.linker.schema_linking.grounding import SurfacePart
from ttm.parsers.linker.words.lexicon import lexicon

DEFAULT_COUNT = 5
COUNTED_CHANGES = tuple("counterfactual cfe way example change option alternative suggest different possib thing".split())
ONE_FEATURE = frozenset("feature factor variable attribute column predictor characteristic aspect input".split())
SUPERLATIVE = frozenset("most top main biggest largest strongest best key greatest primary".split())


def build(context: CueContext, call: CueMatch) -> list[SurfacePart]:
    """The operations that a cue asks for; a part without text carries the question that must be asked instead."""
    fill = BUILDERS.get(call.cue.gives)
    if fill is None:
        gives = "predict" if call.cue.gives == "likelihood" and not context.ground.is_classification else call.cue.gives
        return [SurfacePart(call.start, call.end, gives)]
    return fill(context, call)


def _top(context: CueContext, call: CueMatch) -> list[SurfacePart]:
    number, side = context.number(call), "bottomk" if call.cue.gives == "bottomk" else "topk"
    return [SurfacePart(call.start, call.end, f"important {side} {number or (1 if side == 'bottomk' else DEFAULT_COUNT)}")]


def _important_all(context: CueContext, call: CueMatch) -> list[SurfacePart]:
    words = context.reading.words[max(0, call.start - 2) : call.end + 2]
    one = any(word in ONE_FEATURE for word in words) and any(word in SUPERLATIVE for word in words)
    return [SurfacePart(call.start, call.end, "important topk 1" if one else "important all")]


def _important_feature(context: CueContext, call: CueMatch) -> list[SurfacePart]:
    """Every feature of the clause that no condition has claimed: what is weighed is often named in roundabout ways."""
    first, last = context.reading.bounds[call.clause]
    inside = [at for at in range(call.start, call.end) if context.reading.words[at] in FEATURES]
    named = {at for at in range(first, last) if context.reading.words[at] in ("<f>", "<g>")} | set(
        context.features_in(call) if inside else []
    )
    return [SurfacePart(at, at + 1, f"important {context.token(at)}") for at in sorted(named) or context.features_in(call)] or [
        SurfacePart(call.start, call.end, "important all", 0.4)
    ]


def _counterfactual(context: CueContext, call: CueMatch) -> list[SurfacePart]:
    words = context.reading.words
    counted = [at for at in range(call.start - 3, call.end + 2) if 0 <= at < len(words) - 1 and words[at] == "<n>"]
    counted = [at for at in counted if any(word.startswith(COUNTED_CHANGES) for word in words[at + 1 : at + 3])]
    text = "explain cfe"
    if counted:
        text += f" {int(context.reading.items[counted[0]].token.value)}"
    wanted = [item for item in context.reading.items if item.word == "<c>"]
    if wanted and len(context.ground.schema.target.classes) > 2:
        mention = wanted[-1].mention
        text += f" class {mention.name.class_number}" if mention else ""
    return [SurfacePart(call.start, call.end, text)]


def _one_feature(word: str, target: bool = False) -> Callable[[CueContext, CueMatch], list[SurfacePart]]:
    def fill(context: CueContext, call: CueMatch) -> list[SurfacePart]:
        words = context.reading.words
        if (
            target
            and {"<t>", "target"} & set(words[call.start : call.end + 3])
            and not any(w in FEATURES for w in words[call.start : call.end])
        ):
            return [SurfacePart(call.start, call.end, f"{word} target")]
        if target and "target" in words[call.start : call.end + 2]:
            return [SurfacePart(call.start, call.end, f"{word} target")]
        features = context.features_in(call)
        if (
            not features
            and word == "statistic"
            and context.ground.age is not None
            and {"old", "age", "oldest", "youngest"} & set(words)
        ):
            return [SurfacePart(call.start, call.end, f"statistic {context.ground.age.token}")]
        if features:
            return [SurfacePart(at, at + 1, f"{word} {context.token(at)}") for at in features]
        if target and "<t>" in words and (word != "statistic" or not context.ground.is_classification):
            return [SurfacePart(call.start, call.end, f"{word} target")]
        return [SurfacePart(call.start, call.end, "", 1.0, question="Which column do you mean?")]

    return fill


def _statistic(context: CueContext, call: CueMatch) -> list[SurfacePart]:
    """`how old` speaks of age although it names no column."""
    words = context.reading.words
    for at in range(call.start, min(call.end + 1, len(words))):
        if words[at] in lexicon().dimensions and "<f>" not in words[call.start : call.end]:
            feature = context.ground.by_adjective(words[at])
            if feature is not None:
                return [SurfacePart(call.start, call.end, f"statistic {feature.token}")]
    if not any(word in FEATURES or word == "<t>" for word in words):
        spoken = [item.token.text for item in context.reading.items if item.mention is None]
        spoken += ["amount"] if "much" in words else ["duration", "length"] if "long" in words else []
        hinted = context.ground.hinted(spoken)
        if len(hinted) == 1:
            return [SurfacePart(call.start, call.end, f"statistic {hinted[0].token}", 0.3)]
    return _one_feature("statistic", target=True)(context, call)


def _distribution(context: CueContext, call: CueMatch) -> list[SurfacePart]:
    words = context.reading.words[call.start : call.end + 4]
    if any(word.startswith(("probabilit", "likelihood")) for word in words) or "predicted" in words:
        return [SurfacePart(call.start, call.end, "distribution probability")]
    if any(word in ("class", "classes", "label", "labels", "target", "balanced", "balance", "<c>") for word in words):
        return [SurfacePart(call.start, call.end, "distribution target")]
    return _one_feature("distribution", target=True)(context, call)


def _correlate(context: CueContext, call: CueMatch) -> list[SurfacePart]:
    words = context.reading.words
    first, last = context.reading.bounds[call.clause]
    hits = [at for at in range(first, last) if words[at] in FEATURES]
    if len(hits) >= 2:
        return [SurfacePart(call.start, call.end, f"correlate {context.token(hits[0])} {context.token(hits[1])}")]
    own = context.ground.schema.target.name.lower()
    outcome = any(word in ("<t>", "<c>", "target", "outcome", "label", "prediction", "predictions", own) for word in words)
    if hits:
        return [SurfacePart(call.start, call.end, f"correlate {context.token(hits[0])}{' target' if outcome else ''}")]
    return [SurfacePart(call.start, call.end, "", 1.0, question="Between which columns?")]


def _compare(context: CueContext, call: CueMatch) -> list[SurfacePart]:
    words = context.reading.words
    inside = [at for at in range(call.start, min(call.end + 3, len(words))) if words[at] in FEATURES]
    return [SurfacePart(at, at + 1, f"compare {context.token(at)}") for at in inside[:1]]


def _interact(context: CueContext, call: CueMatch) -> list[SurfacePart]:
    first, last = context.reading.bounds[call.clause]
    named = [at for at in range(first, last) if context.reading.words[at] in FEATURES]
    pair = f" {context.token(named[0])} {context.token(named[1])}" if len(named) == 2 else ""
    return [SurfacePart(call.start, call.end, f"interact{pair}")]


def _similar(context: CueContext, call: CueMatch) -> list[SurfacePart]:
    return [SurfacePart(call.start, call.end, f"similar {context.number(call) or DEFAULT_COUNT}")]


def _threshold(context: CueContext, call: CueMatch) -> list[SurfacePart]:
    for at in range(call.start, min(call.end + 5, len(context.reading.items))):
        item = context.reading.items[at]
        if item.word == "<n>":
            value = item.token.value / (100 if item.token.form == "percent" or item.token.value > 1 else 1)
            return [SurfacePart(call.start, at + 1, f"threshold {value:g}")] if value <= 1 else []
    return [SurfacePart(call.start, call.end, "threshold")]


BUILDERS: dict[str, Callable[[CueContext, CueMatch], list[SurfacePart]]] = {
    "topk": _top,
    "bottomk": _top,
    "important all": _important_all,
    "important feature": _important_feature,
    "cfe": _counterfactual,
    "count": lambda context, call: [SurfacePart(call.start, call.end, "countdata")],
    "statistic": _statistic,
    "define": _one_feature("define", target=True),
    "effect": _one_feature("effect"),
    "crossing": _one_feature("crossing"),
    "distribution": _distribution,
    "correlate": _correlate,
    "data or show": lambda context, call: [
        SurfacePart(call.start, call.end, "show" if {"<q>", "<i>"} & set(context.reading.words) else "data")
    ],
    "ranked": ranked,
    "compare": _compare,
    "interact": _interact,
    "similar": _similar,
    "threshold": _threshold,
}
