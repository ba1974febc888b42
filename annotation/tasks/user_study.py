"""Two interfaces compared by people who answer questions with each (TalkToModel, section 3 and appendices A.6, B.5).

Every worker answers all questions: one block of them with one interface, the other with the other. Which comes first, and
which block goes with which, is balanced over workers in groups of four; questions are shuffled inside their block, and the
comparisons at the end name the interfaces in random order.
"""

import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean, median, stdev
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from annotation.tasks.task_type import ItemPart, Items, Level, Stop, TaskResult, Values, Write, is_web_address, known_passed
from annotation.words.catalogue import to_translate, translate
from backend.errors import AnnotationError
from backend.text.csv_cells import csv_of

UNDETERMINED = to_translate("Could not determine")
AGREEMENT = (1, 7)
NEUTRAL = 4
STEPS = (
    to_translate("1: strongly disagree"),
    to_translate("2: disagree"),
    to_translate("3: somewhat disagree"),
    to_translate("4: neutral"),
    to_translate("5: somewhat agree"),
    to_translate("6: agree"),
    to_translate("7: strongly agree"),
)
LAST = "comparison"  # the id of the item that asks to compare


class StudyQuestion(BaseModel):
    """`options` do not hold “Could not determine”, which is always offered last."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    block: str = ""
    question: str = ""
    options: tuple[str, ...] = ()
    correct: str = ""
    closing: bool = False

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        if not self.closing and not (self.block and self.question and self.correct in self.options):
            raise ValueError(translate("a question needs block, question, options and correct, which is one of the options"))
        return self


class Interface(BaseModel):
    """`tutorial` is shown before the first question that is answered with it. `address` opens it: http(s), or a path of the
    server that the study is on, such as "/?dataset=german"; `embedded`: inside the page, not in a tab of its own."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(min_length=1)
    tutorial: str = ""
    address: str = ""
    embedded: bool = False

    @field_validator("address")
    @classmethod
    def _can_be_opened(cls, address: str) -> str:
        if address and not is_web_address(address):
            raise ValueError(
                translate("an address begins with https:// or http:// and a host, or is a path of this server such as /chat")
            )
        return address

    @model_validator(mode="after")
    def _has_what_it_embeds(self) -> Self:
        if self.embedded and not self.address:
            raise ValueError(translate("an embedded interface needs its address"))
        return self


class ComparisonStatement(BaseModel):
    """`text` holds `{better}` and `{worse}` where the names of the interfaces go."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(min_length=1)
    text: str = Field(pattern=r"\{better\}.*\{worse\}|\{worse\}.*\{better\}")


class UserStudySettings(BaseModel):
    """`statements` are agreed to after each question, `comparisons` at the end; the first interface is the one studied.

    `groups`: of which of them a worker is, asked at the end; results are reported for each.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    interfaces: tuple[Interface, Interface]
    comparisons: tuple[ComparisonStatement, ...]
    statements: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()


class UserStudy:
    title = "User study"
    content = StudyQuestion
    settings = UserStudySettings
    level: Level = "nominal"

    @property
    def files(self) -> Mapping[str, Write]:
        return {"comparisons.csv": comparisons_csv, "completion.csv": completion_csv, "statements.csv": statements_csv}

    def prepare(self, items: Items, settings: UserStudySettings, seed: int) -> Items:
        """With the comparison behind the questions. Raises AnnotationError unless they are in two blocks."""
        blocks = {content.block for _, content in items if not content.closing}
        if len(blocks) != 2:
            raise AnnotationError(
                translate("The questions are in {count} blocks; there must be two, one for each interface.", count=len(blocks))
            )
        questions = [(key, content) for key, content in items if not content.closing]
        return [*questions, (LAST, StudyQuestion(closing=True))]

    def order(self, items: Items, settings: UserStudySettings, index: int, seed: int) -> tuple[Stop, ...] | None:
        draw = random.Random(f"{seed}/{index}")
        swap_interfaces, swap_blocks = _condition(index, seed)
        interfaces = [each.name for each in settings.interfaces]
        blocks = sorted({content.block for _, content in items if not content.closing})
        way: list[Stop] = []
        if len(blocks) != 2:
            return ()
        for interface, block in zip(interfaces[:: -1 if swap_interfaces else 1], _turned(blocks, swap_blocks), strict=True):
            keys = [key for key, content in items if content.block == block and not content.closing]
            draw.shuffle(keys)
            way += [Stop(key, {"interface": interface, "number": number}) for number, key in enumerate(keys, 1)]
        first = {each.name: draw.random() < 0.5 for each in settings.comparisons}
        return (*way, Stop(LAST, {"studied_first": first}))

    def parts(self, content: StudyQuestion, settings: UserStudySettings, shown: Values) -> tuple[ItemPart, ...]:
        if content.closing:
            return tuple(_closing_parts(settings, shown.get("studied_first", {})))
        used = next((each for each in settings.interfaces if each.name == shown.get("interface")), settings.interfaces[0])
        tutorial = [ItemPart("show", used.tutorial)] if used.tutorial and shown.get("number") == 1 else []
        rated = [
            ItemPart("rate", text, f"statement_{number}", options=tuple(map(translate, STEPS)), scale=AGREEMENT)
            for number, text in enumerate(settings.statements, 1)
        ]
        opened = [ItemPart("frame" if used.embedded else "link", used.name, source=used.address)] if used.address else []
        return (
            *tutorial,
            ItemPart("show", translate("Answer with: {name}", name=used.name)),
            *opened,
            ItemPart(
                "choose",
                content.question,
                "choice",
                options=(*content.options, UNDETERMINED),
                labels=(*content.options, translate(UNDETERMINED)),
            ),
            *rated,
        )

    def check(self, content: StudyQuestion, settings: UserStudySettings, answer: Values) -> None:
        pass

    def attention_passed(self, answer: Values, known: Values) -> bool:
        return known_passed(answer, known)

    def units(self, result: TaskResult) -> Mapping[str, Any]:
        return {} if result.content.closing else {"choice": result.answer["choice"]}

    def rows(self, results: Sequence[TaskResult], settings: UserStudySettings) -> list[dict[str, Any]]:
        """One row an answer. Agreement with a comparison is turned so that 7 is all for the first interface."""
        groups = _groups(results)
        return [_row(result, settings, groups.get(result.worker, "")) for result in results]


def _condition(index: int, seed: int) -> tuple[bool, bool]:
    """Whether to swap interfaces and blocks: each of the four ways once in every four workers, in random order."""
    four = [(interfaces, blocks) for interfaces in (False, True) for blocks in (False, True)]
    random.Random(f"{seed}/four/{index // 4}").shuffle(four)
    return four[index % 4]


def _turned(blocks: list[str], swap: bool) -> list[str]:
    return blocks[::-1] if swap else blocks


def _closing_parts(settings: UserStudySettings, studied_first: Mapping[str, bool]) -> Iterable[ItemPart]:
    studied, other = (each.name for each in settings.interfaces)
    for number, each in enumerate(settings.comparisons, 1):
        better, worse = (studied, other) if studied_first.get(each.name, True) else (other, studied)
        text = each.text.replace("{better}", better).replace("{worse}", worse)
        yield ItemPart("rate", text, f"comparison_{number}", options=tuple(map(translate, STEPS)), scale=AGREEMENT)
    if settings.groups:
        yield ItemPart("choose", translate("Which group are you of?"), "group", options=settings.groups)
    yield ItemPart(
        "write",
        translate("Compare {studied} and {other} in your own words.", studied=studied, other=other),
        "comment",
        required=False,
    )


def _groups(results: Sequence[TaskResult]) -> dict[str, str]:
    return {each.worker: str(each.answer.get("group", "")) for each in results if each.content.closing}


def _row(result: TaskResult, settings: UserStudySettings, group: str) -> dict[str, Any]:
    row: dict[str, Any] = {"id": result.key, "worker": result.worker, "group": group, "seconds": result.seconds}
    content, answer = result.content, result.answer
    if not content.closing:
        row |= {"block": content.block, "interface": result.shown["interface"], "number": result.shown["number"]}
        row |= {"choice": answer["choice"], "completed": answer["choice"] != UNDETERMINED}
        row |= {"correct": answer["choice"] == content.correct}
        return row | {name: value for name, value in answer.items() if name.startswith("statement_")}
    for number, each in enumerate(settings.comparisons, 1):
        rating = answer[f"comparison_{number}"]
        row[each.name] = rating if result.shown["studied_first"][each.name] else sum(AGREEMENT) - rating
    return row | {"comment": answer.get("comment", "")}


def comparison_table(results: Sequence[TaskResult], settings: UserStudySettings) -> dict[tuple[str, str], float]:
    """(comparison, group) -> % of workers who find the first interface better, above neutral (table 3)."""
    closing = [row for row in UserStudy().rows(results, settings) if row["id"] == LAST]
    return {
        (each.name, group): 100 * fmean(row[each.name] > NEUTRAL for row in rows)
        for group, rows in _by(closing, lambda row: row["group"]).items()
        for each in settings.comparisons
    }


def completion_table(results: Sequence[TaskResult], settings: UserStudySettings) -> list[dict[str, Any]]:
    """For each group and interface: % completed, % right of the completed (None if none is), median seconds (table 4)."""
    answers = [row for row in UserStudy().rows(results, settings) if row["id"] != LAST]
    result = []
    for (group, interface), rows in _by(answers, lambda row: (row["group"], row["interface"])).items():
        completed = [row for row in rows if row["completed"]]
        result.append({
            "group": group, "interface": interface, "answers": len(rows),
            "completed": 100 * len(completed) / len(rows),
            "accuracy": 100 * fmean(row["correct"] for row in completed) if completed else None,
            "median_seconds": median(row["seconds"] for row in rows),
        })  # fmt: skip
    return result


def statement_table(results: Sequence[TaskResult], settings: UserStudySettings) -> list[dict[str, Any]]:
    """Mean and standard deviation of each statement after the 1st, 2nd, ... question with an interface (appendix B.5)."""
    answers = [row for row in UserStudy().rows(results, settings) if row["id"] != LAST]
    result = []
    for (interface, number), rows in _by(answers, lambda row: (row["interface"], row["number"])).items():
        for index, text in enumerate(settings.statements, 1):
            rated = [row[f"statement_{index}"] for row in rows]
            spread = stdev(rated) if len(rated) > 1 else None
            result.append({"interface": interface, "number": number, "statement": text, "mean": fmean(rated), "sd": spread})
    return result


def _by(rows: Iterable[dict[str, Any]], key: Callable[[dict[str, Any]], Any]) -> dict[Any, list[dict[str, Any]]]:
    groups: dict[Any, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        groups[key(row)].append(row)
    return dict(sorted(groups.items()))


def comparisons_csv(results: Sequence[TaskResult], settings: UserStudySettings) -> str:
    table = comparison_table(results, settings)
    return csv_of([{"comparison": name, "group": group, "agree": value} for (name, group), value in table.items()])


def completion_csv(results: Sequence[TaskResult], settings: UserStudySettings) -> str:
    return csv_of(completion_table(results, settings))


def statements_csv(results: Sequence[TaskResult], settings: UserStudySettings) -> str:
    return csv_of(statement_table(results, settings))
