"""All statistics of one or several files of dialogues in one value (section 4, appendix B, section 5.2)."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from backend.text.tokens import tokens, words
from inspired.lab.metrics.context import ContextOverlap, context_overlap
from inspired.lab.metrics.dialogues import TYPES, MeasuredDialogue
from inspired.lab.metrics.generation import Generated, GenerationScores, lexical_match, score_generated
from inspired.lab.metrics.masking import Masking
from inspired.lab.metrics.ngrams import NgramStatistics, ngram_statistics
from inspired.lab.metrics.operations import OperationCounts, count_operations

TEMPLATES, REPHRASED, GENERATED = "templates", "rephrased", "generated"


@dataclass(frozen=True)
class SplitCounts:
    """Numbers of one split (Table 3). `turns[n]` counts dialogues with at least n gold steps (Table 10)."""

    dialogues: int
    types: dict[str, int]
    gold_sub_questions: int
    predicted_sub_questions: int
    turns: dict[int, int]


@dataclass(frozen=True)
class TextStatistics:
    """A set of texts: how many, their words in the mean, different words, n-grams (Tables 3, 6 and 21).

    `lexical_match`: the mean share of words that the template of the same step has too (Table 7).
    """

    texts: int
    mean_words: float
    vocabulary: int
    ngrams: tuple[NgramStatistics, ...]
    lexical_match: float | None = None


@dataclass(frozen=True)
class MetricsReport:
    """`texts` has `templates` and `rephrased`, and `generated` if there are any; sets without texts are left out."""

    splits: dict[str, SplitCounts]
    operations: OperationCounts
    texts: dict[str, TextStatistics]
    context: ContextOverlap
    generation: GenerationScores | None
    seed: int


def make_report(
    splits: Mapping[str, Sequence[MeasuredDialogue]],
    generated: Sequence[Generated] = (),
    bert_model: str | None = None,
    seed: int = 0,
) -> MetricsReport:
    """Every metric that these dialogues allow; `seed` fixes the random contexts."""
    dialogues = [dialogue for each in splits.values() for dialogue in each]
    return MetricsReport(
        splits={name: _counts(each) for name, each in splits.items()},
        operations=count_operations(dialogues),
        texts=_texts(dialogues, generated),
        context=context_overlap(dialogues, Masking(dialogues), seed),
        generation=score_generated(generated, bert_model) if generated else None,
        seed=seed,
    )


def _counts(dialogues: Sequence[MeasuredDialogue]) -> SplitCounts:
    types = Counter(each.type for each in dialogues)
    steps = Counter(len(each.gold) or len(each.gold_forms or ()) for each in dialogues)
    return SplitCounts(
        dialogues=len(dialogues),
        types={type_: types[type_] for type_ in TYPES if types[type_]},
        gold_sub_questions=sum(len(each.gold) for each in dialogues),
        predicted_sub_questions=sum(len(each.predicted) for each in dialogues),
        turns={turn: sum(n for steps_, n in steps.items() if steps_ >= turn) for turn in range(1, max(steps, default=0) + 1)},
    )


def _texts(dialogues: Sequence[MeasuredDialogue], generated: Sequence[Generated]) -> dict[str, TextStatistics]:
    asked = [each for dialogue in dialogues for _, each in dialogue.sub_questions()]
    result = {
        TEMPLATES: _statistics([each.template for each in asked]),
        REPHRASED: _statistics([each.question for each in asked], [each.template for each in asked]),
        GENERATED: _statistics([each.question for each in generated], [each.template for each in generated]),
    }
    return {name: each for name, each in result.items() if each is not None}


def _statistics(texts: Sequence[str], templates: Iterable[str] = ()) -> TextStatistics | None:
    tokenized = [words(text) for text in texts if text]
    if not tokenized:
        return None
    return TextStatistics(
        texts=len(tokenized),
        mean_words=fmean(map(len, tokenized)),
        vocabulary=len({word for each in tokenized for word in each}),
        ngrams=ngram_statistics(tokens(text) for text in texts if text),
        lexical_match=lexical_match(zip(texts, templates, strict=False)),
    )
