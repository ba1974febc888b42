"""From the cues of an utterance to operations with their arguments, as surfaces of the parse language."""

from collections.abc import Callable
from dataclasses import dataclass

from ttm.parsers.grounding import Ground, Part
from ttm.parsers.lexicon import lexicon
from ttm.parsers.operations import Call
from ttm.parsers.ranking import ranked
from ttm.parsers.reading import Reading

FEATURES = ("<f>", "<b>", "<g>")
LISTING = frozenset(
    "average mean median and or , than versus the feature features more less important is are being to compared "
    "with as a an of also both for".split()
)
DEFAULT_COUNT = 5
COUNTED_CHANGES = tuple("counterfactual cfe way example change option alternative suggest different possib thing".split())
ONE_FEATURE = frozenset("feature factor variable attribute column predictor characteristic aspect input".split())
SUPERLATIVE = frozenset("most top main biggest largest strongest best key greatest primary".split())


@dataclass(frozen=True)
class Builder:
    """Fills in arguments from the items around a cue. `reading` has conditions folded away; `free` are the items of
    features that nothing else has claimed."""

    reading: Reading
    ground: Ground

    def build(self, call: Call) -> list[Part]:
        """The operations that a cue asks for; a part without text carries the question that must be asked instead."""
        build = BUILDERS.get(call.cue.gives)
        if build is None:
            gives = "predict" if call.cue.gives == "likelihood" and not self.ground.is_classification else call.cue.gives
            return [Part(call.start, call.end, gives)]
        return build(self, call)

    def features_in(self, call: Call) -> list[int]:
        """Items of the features that a cue speaks of: those within it and the list they belong to, else the nearest."""
        words = self.reading.words
        inside = [at for at in range(call.start, call.end) if words[at] in FEATURES]
        if inside:
            return self._listed(inside)
        first, last = self.reading.bounds[call.clause]
        near = [at for at in range(first, last) if words[at] in ("<f>", "<g>")] or [
            at for at, word in enumerate(words) if word in FEATURES
        ]
        nearest = sorted(near, key=lambda at: (at < call.start, abs(at - call.start)))[:1]
        return self._listed(nearest) if nearest and first <= nearest[0] < last else nearest

    def _listed(self, inside: list[int]) -> list[int]:
        words, found = self.reading.words, list(inside)
        for step, edge in ((1, inside[-1]), (-1, inside[0])):
            at = edge + step
            while 0 <= at < len(words) and (words[at] in FEATURES or words[at] in LISTING):
                if words[at] in FEATURES:
                    found.append(at)
                at += step
        return sorted(set(found))

    def token(self, at: int) -> str:
        feature = self.reading.items[at].feature
        assert feature is not None
        return feature.token

    def number(self, call: Call, reach: int = 3) -> int | None:
        """The count that belongs to a cue: a number within it or right beside it."""
        for at in [
            *range(call.start, call.end),
            *range(call.end, call.end + reach),
            *range(call.start - 1, call.start - reach, -1),
        ]:
            if 0 <= at < len(self.reading.items) and self.reading.words[at] == "<n>":
                value = self.reading.items[at].token.value
                if 1 <= value <= 1000 and float(value).is_integer():
                    return int(value)
        return None


def _top(builder: Builder, call: Call) -> list[Part]:
    number, side = builder.number(call), "bottomk" if call.cue.gives == "bottomk" else "topk"
    return [Part(call.start, call.end, f"important {side} {number or (1 if side == 'bottomk' else DEFAULT_COUNT)}")]


def _important_all(builder: Builder, call: Call) -> list[Part]:
    words = builder.reading.words[max(0, call.start - 2) : call.end + 2]
    one = any(word in ONE_FEATURE for word in words) and any(word in SUPERLATIVE for word in words)
    return [Part(call.start, call.end, "important topk 1" if one else "important all")]


def _important_feature(builder: Builder, call: Call) -> list[Part]:
    """Every feature of the clause that no condition has claimed: what is weighed is often named in roundabout ways."""
    first, last = builder.reading.bounds[call.clause]
    inside = [at for at in range(call.start, call.end) if builder.reading.words[at] in FEATURES]
    named = {at for at in range(first, last) if builder.reading.words[at] in ("<f>", "<g>")} | set(
        builder.features_in(call) if inside else []
    )
    return [Part(at, at + 1, f"important {builder.token(at)}") for at in sorted(named) or builder.features_in(call)] or [
        Part(call.start, call.end, "important all", 0.4)
    ]


def _counterfactual(builder: Builder, call: Call) -> list[Part]:
    words = builder.reading.words
    counted = [at for at in range(call.start - 3, call.end + 2) if 0 <= at < len(words) - 1 and words[at] == "<n>"]
    counted = [at for at in counted if any(word.startswith(COUNTED_CHANGES) for word in words[at + 1 : at + 3])]
    text = "explain cfe"
    if counted:
        text += f" {int(builder.reading.items[counted[0]].token.value)}"
    wanted = [item for item in builder.reading.items if item.word == "<c>"]
    if wanted and len(builder.ground.schema.target.classes) > 2:
        mention = wanted[-1].mention
        text += f" class {mention.name.class_number}" if mention else ""
    return [Part(call.start, call.end, text)]


def _one_feature(word: str, target: bool = False) -> Callable[[Builder, Call], list[Part]]:
    def build(builder: Builder, call: Call) -> list[Part]:
        words = builder.reading.words
        if (
            target
            and {"<t>", "target"} & set(words[call.start : call.end + 3])
            and not any(w in FEATURES for w in words[call.start : call.end])
        ):
            return [Part(call.start, call.end, f"{word} target")]
        if target and "target" in words[call.start : call.end + 2]:
            return [Part(call.start, call.end, f"{word} target")]
        found = builder.features_in(call)
        if (
            not found
            and word == "statistic"
            and builder.ground.age is not None
            and {"old", "age", "oldest", "youngest"} & set(words)
        ):
            return [Part(call.start, call.end, f"statistic {builder.ground.age.token}")]
        if found:
            return [Part(at, at + 1, f"{word} {builder.token(at)}") for at in found]
        if target and "<t>" in words and (word != "statistic" or not builder.ground.is_classification):
            return [Part(call.start, call.end, f"{word} target")]
        return [Part(call.start, call.end, "", 1.0, question="Which column do you mean?")]

    return build


def _statistic(builder: Builder, call: Call) -> list[Part]:
    """`how old` speaks of age although it names no column."""
    words = builder.reading.words
    for at in range(call.start, min(call.end + 1, len(words))):
        if words[at] in lexicon().dimensions and "<f>" not in words[call.start : call.end]:
            feature = builder.ground.by_adjective(words[at])
            if feature is not None:
                return [Part(call.start, call.end, f"statistic {feature.token}")]
    if not any(word in FEATURES or word == "<t>" for word in words):
        said = [item.token.text for item in builder.reading.items if item.mention is None]
        said += ["amount"] if "much" in words else ["duration", "length"] if "long" in words else []
        hinted = builder.ground.hinted(said)
        if len(hinted) == 1:
            return [Part(call.start, call.end, f"statistic {hinted[0].token}", 0.3)]
    return _one_feature("statistic", target=True)(builder, call)


def _distribution(builder: Builder, call: Call) -> list[Part]:
    words = builder.reading.words[call.start : call.end + 4]
    if any(word.startswith(("probabilit", "likelihood")) for word in words) or "predicted" in words:
        return [Part(call.start, call.end, "distribution probability")]
    if any(word in ("class", "classes", "label", "labels", "target", "balanced", "balance", "<c>") for word in words):
        return [Part(call.start, call.end, "distribution target")]
    return _one_feature("distribution", target=True)(builder, call)


def _correlate(builder: Builder, call: Call) -> list[Part]:
    words = builder.reading.words
    first, last = builder.reading.bounds[call.clause]
    found = [at for at in range(first, last) if words[at] in FEATURES]
    if len(found) >= 2:
        return [Part(call.start, call.end, f"correlate {builder.token(found[0])} {builder.token(found[1])}")]
    own = builder.ground.schema.target.name.lower()
    outcome = any(word in ("<t>", "<c>", "target", "outcome", "label", "prediction", "predictions", own) for word in words)
    if found:
        return [Part(call.start, call.end, f"correlate {builder.token(found[0])}{' target' if outcome else ''}")]
    return [Part(call.start, call.end, "", 1.0, question="Between which columns?")]


def _compare(builder: Builder, call: Call) -> list[Part]:
    words = builder.reading.words
    inside = [at for at in range(call.start, min(call.end + 3, len(words))) if words[at] in FEATURES]
    return [Part(at, at + 1, f"compare {builder.token(at)}") for at in inside[:1]]


def _interact(builder: Builder, call: Call) -> list[Part]:
    first, last = builder.reading.bounds[call.clause]
    named = [at for at in range(first, last) if builder.reading.words[at] in FEATURES]
    pair = f" {builder.token(named[0])} {builder.token(named[1])}" if len(named) == 2 else ""
    return [Part(call.start, call.end, f"interact{pair}")]


def _similar(builder: Builder, call: Call) -> list[Part]:
    return [Part(call.start, call.end, f"similar {builder.number(call) or DEFAULT_COUNT}")]


def _threshold(builder: Builder, call: Call) -> list[Part]:
    for at in range(call.start, min(call.end + 5, len(builder.reading.items))):
        item = builder.reading.items[at]
        if item.word == "<n>":
            value = item.token.value / (100 if item.token.form == "percent" or item.token.value > 1 else 1)
            return [Part(call.start, at + 1, f"threshold {value:g}")] if value <= 1 else []
    return [Part(call.start, call.end, "threshold")]


BUILDERS: dict[str, Callable[[Builder, Call], list[Part]]] = {
    "topk": _top,
    "bottomk": _top,
    "important all": _important_all,
    "important feature": _important_feature,
    "cfe": _counterfactual,
    "count": lambda builder, call: [Part(call.start, call.end, "countdata")],
    "statistic": _statistic,
    "define": _one_feature("define", target=True),
    "effect": _one_feature("effect"),
    "distribution": _distribution,
    "correlate": _correlate,
    "data or show": lambda builder, call: [
        Part(call.start, call.end, "show" if {"<q>", "<i>"} & set(builder.reading.words) else "data")
    ],
    "ranked": ranked,
    "compare": _compare,
    "interact": _interact,
    "similar": _similar,
    "threshold": _threshold,
}
