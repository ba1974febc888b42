"""Filling templates: deterministic, bounded, balanced, and every parse is one of the data set's language."""

import hashlib
import os
import re
import subprocess
import sys
import tracemalloc
from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from tests.counted_calls import counted
from tests.ttm.conftest import awkward_dataset
from tests.ttm.parsers.templates.conftest import schema_of
from ttm.language.grammar import grammar_of
from ttm.language.parse import NumericCondition, Selection
from ttm.parsers.templates import UtteranceTemplate, load_templates
from ttm.parsers.templates.generate import MOST_PER_TEMPLATE, TrainingPair, fits_target, generate, sampled_templates
from ttm.parsers.templates.template import read_lines
from ttm.parsers.templates.vocabulary import singular
from ttm.tabular.data.dataset import DEMOS, load_dataset
from ttm.tabular.data.schema import Feature, FeatureKind, Schema

KINDS = ("binary", "several", "regression", "tiny")


def lines(text: str) -> list[UtteranceTemplate]:
    return list(read_lines(text.splitlines(), "own.tsv"))


def canonical(examples: list[TrainingPair], schema: Schema) -> None:
    read = grammar_of(schema).read
    for example in examples:
        assert str(read(example.parse)) == example.parse


# --- every example parses ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("classes", [("bad", "good"), ("low", "mid", "high"), ()], ids=["two", "three", "quantity"])
def test_every_example_parses_in_its_canonical_form(templates: list[UtteranceTemplate], classes: tuple[str, ...]) -> None:
    schema = schema_of(15, classes)
    examples = generate(schema, 3, templates=templates)
    canonical(examples, schema)
    missing = {template.utterance for template in templates} - {example.template for example in examples}
    foreign = {template.utterance for template in templates if not fits_target(template, schema)}
    of_two = "who is most likely {positive}?"
    assert missing == foreign | ({of_two} if len(classes) > 2 else set())
    assert foreign >= ({"over {quantity}?"} if classes else {"chance of {class} over {chance}", of_two})


@pytest.mark.parametrize("kind", KINDS)
def test_every_example_parses_on_awkward_data(templates: list[UtteranceTemplate], kind: str) -> None:
    """Gaps, dates, categories with markup and spaces, ids in words."""
    dataset = awkward_dataset(kind)
    canonical(generate(dataset.schema, 1, frame=dataset.frame, templates=templates), dataset.schema)


@pytest.mark.parametrize("demo", DEMOS)
@pytest.mark.slow
def test_the_projects_templates_parse_on_the_demos(demo: str) -> None:
    dataset = load_dataset(demo)
    examples = generate(dataset.schema, 2, frame=dataset.frame, most_per_template=1)
    canonical(examples, dataset.schema)
    assert len({example.template for example in examples}) > 0.8 * len(load_templates())


# --- what is filled in ---------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_template_uses_at_most_two_values_of_a_numeric_feature() -> None:
    chosen = lines(
        "how many have {num} above {val}\tfilter {num} greater than {val} and countdata\n"
        "show {entities} {filter}\t{filter} and show\n"
        "{num} = {val} or {num2} = {val2}\tfilter {num} equal to {val} or filter {num2} equal to {val2}"
    )
    schema = schema_of(40)
    used: dict[tuple[str, str], set[float | str]] = defaultdict(set)
    for example in generate(schema, 5, templates=chosen, most_per_template=400):
        for step in grammar_of(schema).read(example.parse).steps:
            if isinstance(step, Selection):
                for condition in (one for group in step.groups for part in group for one in part):
                    if isinstance(condition, NumericCondition):
                        used[example.template, condition.feature].add(condition.value)
    assert len(used) > 40
    assert max(map(len, used.values())) == 2


def test_values_are_observed_or_round_and_within_the_data() -> None:
    dataset = load_dataset("diabetes")
    chosen = lines("with {num} above {val}\tfilter {num} greater than {val} and countdata")
    for example in generate(dataset.schema, 0, frame=dataset.frame, templates=chosen):
        _, token, _, _, value, *_ = example.parse.split()
        column = dataset.frame[dataset.schema.by_token[token].name]
        assert column.min() <= float(value) <= column.max()


def test_ids_are_those_of_the_rows() -> None:
    dataset = awkward_dataset("tiny")
    chosen = lines("why {id}\tfilter id {id} and explain features")
    examples = generate(dataset.schema, 0, frame=dataset.frame, templates=chosen)
    assert {example.utterance for example in examples} == {f"why {id}" for id in dataset.frame.index}
    assert all(re.fullmatch(r'filter id "p 10\d" and explain features \[e\]', example.parse) for example in examples)


def test_the_larger_value_is_larger_and_a_second_wildcard_is_another_one(templates: list[UtteranceTemplate]) -> None:
    schema = schema_of(30)
    for example in generate(schema, 7, templates=templates):
        if example.template == "{num} from {val} to {high}":
            low, high = re.findall(r"equal than (\S+)", example.parse)
            assert float(low) < float(high)
        elif example.template.startswith("{num} over {val} and {num2}"):
            one, other = re.findall(r"filter (\S+)", example.parse)
            assert one != other
        elif example.template.startswith(("{catval} or", "the {id:ordinalwords}")):
            one, other = re.findall(r"filter \S+ (.+?) (?:or|and)", example.parse)
            assert one != other


def test_numbers_are_spelled_as_the_template_wants() -> None:
    schema = schema_of(5)
    chosen = lines(
        "{id:ordinal} row\tfilter id {id} and show\n{count:words} best\timportant topk {count}\n"
        "over {val:words} in {num}\tfilter {num} greater than {val}"
    )
    examples = generate(schema, 0, templates=chosen)
    assert all(re.fullmatch(r"\d+(st|nd|rd|th) row|[a-z]+ best|over [a-z -]+ in .*", example.utterance) for example in examples)


def test_a_decade_has_ten_years(templates: list[UtteranceTemplate]) -> None:
    every_seed = [example for seed in range(9) for example in generate(schema_of(5), seed, templates=templates)]
    examples = [example for example in every_seed if example.template == "in their {decade}"]
    assert len({example.utterance for example in examples}) > 4
    for example in examples:
        assert re.fullmatch(r"in their (\d0s|[a-z]+ties)", example.utterance)
        first, end = (int(number) for number in re.findall(r"than (\d+)", example.parse))
        assert (first % 10, end - first) == (0, 10)


def test_a_wanted_class_is_written_only_where_there_are_more_than_two() -> None:
    chosen = lines(
        "how could {entity} {id} become {goal}\tfilter id {id} and explain cfe {goal}\n"
        "{count} ways for {id} to be {goal}?\tfilter id {id} and explain cfe {count} {goal}"
    )
    for classes in (("bad", "good"), ("low", "mid", "high")):
        examples = generate(schema_of(5, classes), 0, templates=chosen)
        assert {example.utterance.rstrip("?").split()[-1] for example in examples} == set(classes)
        for example in examples:
            wanted = re.search(r" cfe(?: \d+)?( class \d)? \[e\]$", example.parse)
            assert wanted is not None, example.parse
            said = classes.index(example.utterance.rstrip("?").split()[-1])
            assert wanted[1] == (None if len(classes) == 2 else f" class {said}")
    assert generate(schema_of(5, ()), 0, templates=chosen) == []


@pytest.mark.parametrize(
    ("classes", "said"),
    [
        (("unlikely to pay", "likely to pay"), ["who is most likely to pay?"]),
        (("bad", "good"), ["who is most likely to be good?"]),
        (("low", "mid", "high"), []),
        ((), []),
    ],
)
def test_the_last_class_is_ranked_by_where_there_are_two(classes: tuple[str, ...], said: list[str]) -> None:
    """Of more classes, rows are ranked by the probability of the most probable one, whichever that is."""
    chosen = lines("who is most likely {positive}?\thighest 5 probability")
    assert [example.utterance for example in generate(schema_of(5, classes), 0, templates=chosen)] == said


def test_years_older_change_the_age_and_nothing_else() -> None:
    chosen = lines("{delta} years older\tchange {age} increase {delta}\nyoungest {entity}\tlowest 1 {age}")
    examples = generate(schema_of(20), 0, templates=chosen)
    assert {example.template for example in examples} == {template.utterance for template in chosen}
    for example in examples:
        assert re.fullmatch(r"change age increase (\S+) \[e\]|lowest 1 age \[e\]", example.parse)
    assert generate(replace(schema_of(20), features=schema_of(20).features[1:]), 0, templates=chosen) == []


def test_a_category_that_says_nothing_alone_is_said_with_its_feature() -> None:
    values = ("Yes", "No", "12", "3.5", "-", "F", "north", "old town")
    schema = replace(schema_of(5), features=(Feature("area", "area", FeatureKind.CATEGORICAL, values=values),))
    chosen = lines("the {catval} ones\tfilter {cat} {catval} and show\nwith {cat} {catval}\tfilter {cat} {catval} and show")
    said: dict[str, set[str]] = defaultdict(set)
    for seed in range(25):
        for example in generate(schema, seed, templates=chosen):
            said[example.template].add(example.parse.removeprefix("filter area ").removesuffix(" and show [e]"))
    alone, named = (said[template.utterance] for template in chosen)
    assert alone == {"north", "old town"}
    assert named == {value.lower() for value in values}


def test_no_probability_is_asked_of_a_quantity() -> None:
    examples = generate(schema_of(10, ()), 0, most_per_template=1)
    assert len(examples) > 1_000
    assert not [example.parse for example in examples if re.search(r"\b(likelihood|probability)", example.parse)]


def test_a_clause_with_or_never_meets_another_filter() -> None:
    """`and` binds tighter, so "older than 30 or with bmi over 40, predicted ill" would not mean what it says."""
    chosen = lines(
        "which {entities} {filter} are {class}\t{filter} and predictionfilter {class} and show\n"
        "which {entities} {filter}\t{filter} and show"
    )
    examples = generate(schema_of(10), 0, templates=chosen, most_per_template=300)
    assert {example.template for example in examples if " or " in example.parse} == {"which {entities} {filter}"}


@pytest.mark.parametrize(
    ("plural", "one"),
    [("people", "person"), ("applicants", "applicant"), ("cities", "city"), ("boxes", "box"), ("houses", "house"),
     ("movies", "movy"), ("glass", "glass"), ("loan cases", "loan case")],
)  # fmt: skip
def test_one_of_the_rows(plural: str, one: str) -> None:
    assert singular(plural) == one


# --- deterministic, bounded, balanced ------------------------------------------------------------------------------------

DIGEST = """
import hashlib
from ttm.tabular.data.dataset import load_dataset
from ttm.parsers.templates.generate import generate
data = load_dataset("compas")
print(hashlib.sha256(repr(generate(data.schema, 4, frame=data.frame, most_per_template=3)).encode()).hexdigest())
"""


@pytest.mark.slow
def test_the_same_seed_gives_the_same_pairs_in_every_process() -> None:
    salt = "17" if os.environ.get("PYTHONHASHSEED") != "17" else "18"
    told = subprocess.run([sys.executable, "-c", DIGEST], cwd=Path(__file__).parents[4], capture_output=True, text=True,
                          env=os.environ | {"PYTHONHASHSEED": salt}, check=True).stdout  # fmt: skip
    data = load_dataset("compas")
    here = generate(data.schema, 4, frame=data.frame, most_per_template=3)
    assert told.strip() == hashlib.sha256(repr(here).encode()).hexdigest()


def test_another_seed_gives_other_pairs(templates: list[UtteranceTemplate]) -> None:
    schema = schema_of(20)
    assert generate(schema, 1, templates=templates) == generate(schema, 1, templates=templates)
    assert generate(schema, 1, templates=templates) != generate(schema, 2, templates=templates)


@pytest.mark.slow
def test_five_hundred_columns_stay_bounded_in_count_work_and_memory() -> None:
    schema, chosen = schema_of(500), load_templates()[::8]
    generate(schema, 0, templates=chosen[:1])
    tracemalloc.start()
    examples, calls = counted(lambda: generate(schema, 0, templates=chosen, most_per_template=20))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(examples) <= 20 * len(chosen)
    assert calls < 2_000_000  # 550,000, and 480,000 for a tenth of the columns
    assert peak < 60_000_000


def test_no_template_dominates_and_every_feature_occurs() -> None:
    """Four wildcards of 60 numeric columns have millions of fillings; the first wildcard takes each column once."""
    schema = schema_of(60)
    chosen = lines(
        "{num} = {val} and {num2} = {val2}\tfilter {num} equal to {val} and filter {num2} equal to {val2}\n"
        "mean {num}\tstatistic {num}\nwho are you\tself"
    )
    counted = Counter(example.template for example in generate(schema, 0, templates=chosen))
    numeric = sum(feature.kind is FeatureKind.NUMERIC for feature in schema.features)
    assert list(counted.values()) == [MOST_PER_TEMPLATE, numeric, 1]
    first = [e.parse.split()[1] for e in generate(schema, 0, templates=chosen) if e.template == chosen[0].utterance]
    assert len(set(first[:numeric])) == numeric


def test_no_utterance_is_given_twice() -> None:
    dataset = load_dataset("german")
    said = [example.utterance.lower() for example in generate(dataset.schema, 0, frame=dataset.frame, most_per_template=6)]
    assert len(said) == len(set(said)) > 3_000


def test_a_column_without_values_is_asked_by_name_only() -> None:
    dataset = load_dataset("diabetes")
    chosen = lines("mean {num}\tstatistic {num}\nover {val} {num}\tfilter {num} greater than {val}")
    unknown = replace(dataset.schema, features=(Feature("x", "x", FeatureKind.NUMERIC),))
    assert {example.template for example in generate(unknown, 0, templates=chosen)} == {"mean {num}"}
    emptied = dataset.frame.assign(Age=pd.Series(dtype=float))
    assert {e.parse.split()[1] for e in generate(dataset.schema, 0, frame=emptied, templates=chosen[1:])} >= {"age", "bmi"}


# --- fraction ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fraction", [0.2, 0.4, 0.6, 0.8, 1.0])
def test_a_fraction_of_the_templates_is_part_of_every_larger_one(fraction: float) -> None:
    everything = load_templates()
    chosen = sampled_templates(everything, fraction, seed=1)
    assert len(chosen) == round(fraction * len(everything))
    smaller = sampled_templates(everything, fraction / 2, seed=1)
    assert set(smaller) <= set(chosen)
    places = [everything.index(template) for template in chosen[:200]]
    assert places == sorted(places)
    assert fraction == 1 or chosen != sampled_templates(everything, fraction, seed=2)


def test_a_fraction_never_leaves_nothing(templates: list[UtteranceTemplate]) -> None:
    assert len(sampled_templates(templates, 0.0001, seed=0)) == 1
    used = {example.template for example in generate(schema_of(10), 0, fraction=0.5, templates=templates)}
    assert used <= {template.utterance for template in sampled_templates(templates, 0.5, seed=0)}
