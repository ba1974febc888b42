"""Agreement against published worked examples, and how varied language is against counts made by hand."""

import json
import math
import random
import re
from collections import Counter
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from annotation.__main__ import main
from annotation.studies.callers import Role
from annotation.studies.figures.agreement import agreement_of
from annotation.studies.figures.answered_fields import AnswerUnits, answered_fields
from annotation.studies.figures.diversity import language
from annotation.studies.figures.field_agreement import field_agreements, fleiss_kappa
from annotation.studies.figures.progress import progress
from annotation.studies.study import open_study
from annotation.studies.work.answers import submit
from annotation.studies.work.leases import next_item
from annotation.tasks.task_type import Level
from annotation.ui.endpoints import CALLS
from backend.program.settings import Settings
from backend.storage.database import Database
from tests.annotation.studies.small_studies import HandClock, join, json_lines, rating_study, write_study

# Krippendorff, Computing Krippendorff's Alpha-Reliability (2011), section C: four observers, twelve units.
OBSERVERS = {
    "A": [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    "B": [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    "C": [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    "D": [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
}


def _answers(rated: dict[str, list[int | None]]) -> list[AnswerUnits]:
    return [
        AnswerUnits(f"item {number}", worker, {"value": value})
        for worker, values in rated.items()
        for number, value in enumerate(values)
        if value is not None
    ]


@pytest.mark.parametrize(("level", "alpha"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_alpha_is_that_of_the_published_example(level: Level, alpha: float) -> None:
    found = agreement_of(_answers(OBSERVERS), level)
    assert found.alpha == pytest.approx(alpha, abs=5e-4)
    assert found.units == 11  # unit 12 has one value, so it is paired with nothing


def test_kappa_of_a_table_worked_by_hand() -> None:
    # 20 both yes, 5 and 10 apart, 15 both no: agreement 0.7, by chance 0.5, so kappa is 0.4.
    one = [1] * 25 + [0] * 25
    other = [1] * 20 + [0] * 5 + [1] * 10 + [0] * 15
    found = agreement_of(_answers({"one": [*one], "other": [*other]}), "nominal")
    assert found.kappas[("one", "other")] == pytest.approx(0.4)
    assert found.mean_kappa == pytest.approx(0.4)


@examples(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from((1, 2, 4)), st.integers(1, 4)), min_size=3, max_size=30))
def test_quadratic_kappa_weighs_by_distance_on_the_scale_also_where_a_level_is_unused(pairs: list[tuple[int, int]]) -> None:
    one, other = map(list, zip(*pairs, strict=True))
    found = agreement_of(_answers({"one": [*one], "other": [*other]}), "ordinal")
    value = found.kappas["one", "other"]
    if value is not None:
        assert value == pytest.approx(cohen_kappa_score(one, other, weights="quadratic", labels=[1, 2, 3, 4]), abs=1e-9)


def _apart(level: Level, counts: Counter[int], one: int, other: int) -> float:
    """How far two values are apart, as Krippendorff (2011) has it."""
    if level == "nominal":
        return float(one != other)
    if level == "interval":
        return float((one - other) ** 2)
    low, high = sorted((one, other))
    return (sum(count for value, count in counts.items() if low <= value <= high) - (counts[low] + counts[high]) / 2) ** 2


def _alpha_by_definition(units: list[list[int]], level: Level) -> float | None:
    units = [unit for unit in units if len(unit) > 1]
    counts = Counter(value for unit in units for value in unit)
    total = counts.total()
    seen = sum(
        sum(_apart(level, counts, *pair) for pair in permutations(unit, 2)) / (len(unit) - 1) for unit in units
    ) / total  # fmt: skip
    expected = sum(_apart(level, counts, a, b) * counts[a] * counts[b] for a in counts for b in counts) / total / (total - 1)
    return 1 - seen / expected if expected else None


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_alpha_is_that_of_its_definition_on_skewed_values_with_unused_levels(level: Level) -> None:
    for seed in range(40):
        draw = random.Random(seed)
        levels = draw.sample(range(1, 8), draw.randint(2, 5))
        weights = [draw.random() ** 3 for _ in levels]
        units = [draw.choices(levels, weights, k=draw.randint(1, 4)) for _ in range(25)]
        rated = {f"w{n}": [unit[n] if n < len(unit) else None for unit in units] for n in range(4)}
        found = agreement_of(_answers(rated), level).alpha
        expected = _alpha_by_definition(units, level)
        assert (found is None) == (expected is None)
        assert found is None or expected is None or abs(found - expected) < 1e-9


def test_fleiss_is_that_of_the_published_example() -> None:
    # Fleiss (1971) in the short form of many textbooks: ten subjects, fourteen raters, five categories.
    table = [(0, 0, 0, 0, 14), (0, 2, 6, 4, 2), (0, 0, 3, 5, 6), (0, 3, 9, 2, 0), (2, 2, 8, 1, 1), (7, 7, 0, 0, 0),
             (3, 2, 6, 3, 0), (2, 5, 3, 2, 2), (6, 5, 2, 1, 0), (0, 2, 2, 3, 7)]  # fmt: skip
    units = [[level for level, count in enumerate(row) for _ in range(count)] for row in table]
    assert fleiss_kappa(units) == pytest.approx(0.20993070442195522, abs=1e-9)
    assert fleiss_kappa([["a", "a"], ["a"]]) is None
    assert fleiss_kappa([["a", "a"], ["a", "a"]]) is None


def test_where_nothing_varies_agreement_is_not_defined() -> None:
    found = agreement_of(_answers({"a": [1, 1, 1], "b": [1, 1, 1]}), "nominal")
    assert (found.alpha, found.kappas, found.mean_kappa) == (None, {("a", "b"): None}, None)
    assert agreement_of([], "nominal").alpha is None


@pytest.mark.every_database
def test_agreement_of_a_study(database: Database, tmp_path: Path, clock: HandClock) -> None:
    study = rating_study(database, tmp_path / "r", clock, 6, "overlap = 2")
    for name in ("Ann", "Bo"):
        worker = join(study, name)
        for number in range(6):
            clock.turn(number)
            submit(study, worker, next_item(study, worker).key, {"rating": 1 + number % 4}, f"{number}")
    (rating,) = field_agreements(answered_fields(study))
    agreed = rating.of_workers
    assert (rating.field, agreed.level, agreed.units) == ("rating", "ordinal", 6)
    assert (agreed.alpha, list(agreed.kappas.values())) == (1.0, [1.0])
    figures = progress(study, join(study, "Lena", Role.LEAD))
    assert (figures.complete, figures.answers, figures.workers[0].tasks) == (6, 12, 6)


TWO_FIELDS = """title = "Two fields"
task = "custom"
items = ["items.jsonl"]
overlap = 2
[[settings.part]]
kind = "choose"
name = "good"
text = "Is it good?"
options = ["yes", "no"]
[[settings.part]]
kind = "rate"
name = "how"
text = "How good?"
scale = [1, 5]
"""


def test_each_field_has_its_own_agreement_and_no_figure_pools_them(
    database: Database, tmp_path: Path, clock: HandClock, settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    items = json_lines([{"id": f"i{n}"} for n in range(6)])
    study = open_study(database, write_study(tmp_path / "two", TWO_FIELDS, items__jsonl=items), clock)
    choices, ratings = {"Ann": "yynnyn", "Bo": "ynnnyy"}, {"Ann": (1, 2, 4, 3, 5, 2), "Bo": (2, 1, 4, 5, 5, 1)}
    for name in choices:
        worker = join(study, name)
        for letter, how in zip(choices[name], ratings[name], strict=True):
            key = next_item(study, worker).key
            submit(study, worker, key, {"good": {"y": "yes", "n": "no"}[letter], "how": how}, f"{name}-{key}")
    good, how = field_agreements(answered_fields(study))
    # Good: equal in 4 of 6, by chance in 1/2. How: squared distances of 7, by chance (6 * (59 + 72) - 2 * 17 * 18) / 6 = 29.
    assert good.of_workers.mean_kappa == pytest.approx((4 / 6 - 1 / 2) / (1 / 2))
    assert how.of_workers.mean_kappa == pytest.approx(1 - 7 / 29)
    assert (good.of_workers.level, how.of_workers.level) == ("nominal", "ordinal")
    html = CALLS["study_page"](study, join(study, "Lea", Role.LEAD), {"page": "progress"})["html"]
    known = {each.of_workers.alpha for each in (good, how)} | {each.of_workers.mean_kappa for each in (good, how)}
    known |= {good.fleiss, how.fleiss}
    assert set(re.findall(r"-?\d\.\d{3}(?=<)", html)) == {f"{figure:.3f}" for figure in known if figure is not None}
    assert all(text in html for text in ("Kappa of good", "Kappa of how", "ordinal"))
    place = ["--study", study.name, "--data-dir", str(settings.data_dir)]
    main(["stats", "--json", *place])
    agreed = json.loads(capsys.readouterr().out)["agreement"]
    assert {field: each["mean_kappa"] for field, each in agreed.items()} == {
        "good": good.of_workers.mean_kappa, "how": how.of_workers.mean_kappa,
    }  # fmt: skip
    main(["stats", *place])
    assert "how (ordinal, 6 values by two workers or more): Krippendorff's alpha" in capsys.readouterr().out


def test_language_is_counted() -> None:
    found = language(["Who is it?", "Who was it?", "who is it"])
    assert (found.texts, found.words, found.vocabulary, found.mean_words) == (3, 9, 4, 3)
    assert found.distinct_1 == pytest.approx(4 / 9)
    assert found.distinct_2 == pytest.approx(4 / 6)  # who is, is it, who was, was it
    assert found.different == pytest.approx(1 / 3)
    parts = [3 / 9, 2 / 9, 1 / 9, 3 / 9]
    assert found.entropy_1 == pytest.approx(-sum(part * math.log2(part) for part in parts))
    assert found.type_token_ratio is None
    assert language([]).words == 0
    assert language(["one two"] * 100).type_token_ratio == pytest.approx(0.02)
