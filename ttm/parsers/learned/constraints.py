"""What a reading of a message has to hold, and what is meant in place of one that does not.

Rows that are called by their ids are what a message is about, what is predicted is not what is true, and what is asked for each
class is not asked of all. What takes many rows ("how many are there?", "what is the accuracy?") is not asked of the one row of
the turn before, and a counterfactual goes to the other class by itself, where there are two.
"""

import re
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ttm.language.operations.breakdowns import StatisticBy
from ttm.language.operations.crossing import Crossing
from ttm.language.operations.importance import Dependence, Effect, Important, Interact, Otherwise, SingleEffects
from ttm.language.operations.predictions import ClassLikelihood
from ttm.language.operations.scores import METRICS, Without
from ttm.language.parse import (
    Change,
    Counterfactual,
    Explain,
    IdCondition,
    Instance,
    Likelihood,
    Parse,
    Predict,
    PredictionCondition,
    Score,
    Selection,
    Similar,
    Statistic,
    Step,
    Threshold,
    surface,
)
from ttm.language.row_state import RowState, rows_after
from ttm.parsers.learned.composition.named_columns import leaves_out, misplaces, named_numbers, named_values
from ttm.parsers.learned.composition.unsaid_moves import moves_against
from ttm.parsers.learned.decisions.asked_importance import AskedImportance
from ttm.parsers.learned.decisions.class_rates import ClassRates
from ttm.parsers.learned.decisions.comparisons import TERMS
from ttm.parsers.learned.decisions.ended_habits import with_ended
from ttm.parsers.learned.decisions.several_thresholds import at_each_threshold
from ttm.parsers.linker.schema_linking.mentions import SchemaMention
from ttm.parsers.linker.schema_linking.names import NameRole
from ttm.parsers.linker.words.tokens import TokenKind, UtteranceToken
from ttm.parsers.plain_requests.plain_request import classes_by_word
from ttm.parsers.plain_requests.row_as_subject import is_about, of_row
from ttm.parsers.understanding import DialogueContext
from ttm.tabular.data.schema import Schema

Array = npt.NDArray[np.float64]
SUREST = 0.97  # as what is stated of any reading
# Of 82 messages of the corpus after a turn about one row that may ask for one of these, 67 may not be about that row.
OF_MANY = (
    "countdata", "mistake typical", "distribution", "fairness", "interact", "correlat", "threshold", "roc", "drift",
    "regress", "gain", "without", "dependence", "score confusion",
)  # fmt: skip
OF_ONE = Predict | Likelihood | ClassLikelihood | Explain | Counterfactual
OF_COLUMN = Without | Crossing | Effect | SingleEffects | Dependence | Otherwise | Important
NAMED = (NameRole.FEATURE, NameRole.CATEGORY)  # of a mention that is a column and no value of one
OF_NOBODY = 0.3  # of what such a reading is held likely
# Of 242 messages of the corpus in such words that are about no row of before, none asks for one of these.
_SOMEBODY = re.compile(r"\b(?:s?he|hers?|his|him|(?:her|him)self|s?hes)\b")
_FOR_SOMEBODY = re.compile(r"\b(?:for|about|in) (?:her|him|(?:her|his) case)\b")
# Of 476 messages of the corpus in such words, about classes that none of their words names, 2 ask for the classes alone.
_AVERAGE = re.compile(r"(?<!\bi )\b(?:averages?|avg|mean|median)\b")
SCORES = frozenset({*METRICS, "auc"}) - {"default"}
# Of 1,081 messages of the corpus that speak of predicting, 13 ask for true values alone; 5 of them say so, as here.
_PREDICTED = re.compile(r"\b(?:predict(?!or)\w*|forecast\w*)")
# Of 1,533 messages of the corpus that may ask for a counterfactual, two speak of predicting and have none of these words.
_CHANGES = re.compile(
    r"\b(?:chang|alter|var(?:y|ied)|modif|touch|flip|turn|need|would ha|must|ha(?:ve|[sd]) to|get|reach|bring|make|instead"
    r"|differ|other|smallest|least|minim|clos|counterf|switch|tip|revers|approv|avoid|become|lower|rais|improv|move|push|take"
    r"|what if|could|should|can|require|fix|undo|swap|so that|in order|revert|go|tweak|adjust|escape|drop|cut)"
)
_TRUE = re.compile(r"\b(?:not|no|never|instead|rather|actual\w*|real\w*|tru(?:e|th|ly)|observed|happened)\b|n't\b")
_OF_DATA = re.compile(
    r"(?:filter|previousfilter|labelfilter|statistic|countdata|distribution|show|label)\b(?!.*\b(?:prediction|probability)\b)"
)
_THRESHOLD = re.compile(r"(.*)threshold (\S+)(?: and score \w+)? \[e\]")
_BY_CLASS = re.compile(r"\b(?:per|each|by|every|both) (?:true |actual |real )?(class|classes|label|labels|outcome|outcomes)\b")
# Of 131 messages of the corpus in such words 96 ask for measures of fairness, and 14 may ask to compare.
_FAIR = re.compile(
    r"\b(?:un)?fair(?:ly|ness)? (?:with re(?:spect|gard)|as regards|regarding|to|towards?|across|between|for|by)\b"
    r"|\bfairness\b|\bbias(?:ed)? (?:against|towards?|by)\b"
)
_UNSURE = re.compile(r"\b(?:unsure|uncertain|undecided|doubtful)\b|\b(?:least|less|not) (?:sure|certain|confident)\b")
_SURE = re.compile(r"\b(?:sure|certain|confident|surest)\b")
# What people are sure of themselves: "i'm not really sure, the 3 riskiest?", "sure, the 3 riskiest", "make sure that ...".
_OWN_DOUBT = re.compile(
    r"\b(?:i|im|we)\b(?: ?'?(?:m|am|are|re|was|not|a|bit|somewhat|quite|really|so|pretty|very|fairly|still))*"
    r" (?:un)?(?:sure|certain|confident)\b|^(?:not |oh |ok |yes )?sure\b|\b(?:make|for|to be) (?:sure|certain)\b"
)
_NOT_REACHED = re.compile(
    r"\b(?:not|never)(?: yet)? (?:reach(?:ed)?|turn(?:ed)?|hit|attained) \S+|\bnot yet \S+|\byet to (?:reach|turn|hit) \S+"
)
_REACHES = re.compile(
    r"\b(recall|sensitivity|precision|specificity) (?:(?:of|is|rate|to be|at least|over|above|about|=|>=?) )+<n>"
)
# "If every house had one more": all rows are changed, whatever came before.
_EVERY = re.compile(r"\b(?:if|suppos\w+|imagine|assum\w+|should|were) (?:that )?(?:every(?:one|body)?|each|all)\b")
# All five messages of the corpus in such words, without a number, about one of two classes, ask for the precision; one message
# says it the other way round, about more classes.
_PREDICTS = (
    r"\bwhen(?:ever)? (?:you|it|they|we|the \w+)(?: \w+)? (?:sa(?:y|ys|id)|predict|flag|call|shout|cr(?:y|ies|ied)|claim|tell"
    r"|guess|warn|think)\w*\b"
)
_OFTEN = r"\bhow (?:often|frequently|many times)\b.*\b(?:right\w*|correct\w*|true|really|actually{})\b"
_WHEN_PREDICTED = re.compile(f"{_PREDICTS}.*{_OFTEN.format('|so')}|{_OFTEN.format('')}.*{_PREDICTS}")
_RATES = frozenset({"rate", "rates"})
RATES_TAKEN = ("accuracy", "default", "baserate", "selection", "fnr", "fpr")  # for how frequent a class is
_SCORE = re.compile(r"score (\S+)((?: .*)?)")
_ALIKE = {"sensitivity": "recall", "ppv": "precision"}
# Of 226 messages of the corpus that name several scores, 23 do not ask for all; they say so, all but one in these words.
_CORRECTS = re.compile(
    r"\b(?:not|no|rather|instead|never|hid\w*|strike|drop|forget|correct|(?:i|you) mean|better|only|lazy|say|overall)\b|n't\b"
)
# Of 431 messages of the corpus about a classifier in such words, 3 ask for its predictions and not how likely a class is.
_CHANCE = re.compile(
    r"\b(?:chances?|probabilit\w+|likelihood|odds|how (?:likely|probable))\b|^p \(|\bp \( "
    r"|\b(?:my|his|her|their|your|the|what is) (?:own )?risk\b|\bat risk\b"
)
# Of 34 messages of the corpus that ask what something looks like, and 5 about people like these, one asks for similar rows.
_LOOKS = re.compile(
    r"\b(?:what|how)\b(?! else).*?\blooks? like (?!any|him|her|them|who)"
    r"|\b(?:for|among|of|in|on|with|about|to) (?:\w+ )?"
    r"(?:people|patients?|persons?|individuals|customers|women|men|cases|rows|those) like (?:that|this|these|those|them)\b"
)
_ALIKE_ROWS = re.compile(r"\b(?:like|similar\w*|alike|resembl\w*|comparable|closest|nearest|neighbou?rs?|twins?)\b")
# "Explain case 5", which asks for no counterfactual and completes no other message, whatever came before.
_EXPLAINS = re.compile(r"^(?:please |now |and |then |ok |can you )*explain (?:me )?(?:the )?(?:\w+ )?<n>(?: please)?\W*$")
_RIGHT = re.compile(r"\b(?:accura\w*|right|correct\w*|wrong\w*|errors?|mistake\w*|miss\w*|hits?|score\w*)\b")


@dataclass(frozen=True, eq=False)
class MessageConstraints:
    """What the readings of one message have to hold. `called`: the ids by which it calls rows; `read` gives the
    parse that a text is about this table, None where it is none."""

    tokens: Sequence[UtteranceToken]
    mentions: Sequence[SchemaMention]
    called: Set[str]
    context: DialogueContext
    schema: Schema
    read: Callable[[str], Parse | None]

    def meant(self, parses: Sequence[Parse], probabilities: Array) -> tuple[list[Parse], Array]:
        """The readings with what each is held likely (n,): that of one which cannot be meant goes to what is; each once."""
        probabilities = self._of_what_is_named(parses, probabilities)
        if _SOMEBODY.search(self._text):
            probabilities = probabilities * np.array([OF_NOBODY if self._is_of_nobody(parse) else 1.0 for parse in parses])
        probabilities = _kept([not moves_against(parse, self.tokens, self.context) for parse in parses], probabilities)
        if self._speaks_of_predictions:
            probabilities = _kept([not self._is_of_data(parse) for parse in parses], probabilities)
        if _PREDICTED.search(self._text) and not _CHANGES.search(self._text):
            probabilities = _kept([not _is_counterfactual(parse) for parse in parses], probabilities)
        summed = [_summed_up(parse) for parse in parses]
        if self._averages and any(columns - {"target"} for columns in summed):
            probabilities = _kept(["target" not in columns for columns in summed], probabilities)
        moved: dict[str, tuple[Parse, float]] = {}
        for parse, probability in zip(parses, probabilities.tolist(), strict=True):
            meant = self.in_place_of(parse)
            both = moved.get(str(meant), (meant, 0.0))[1] + probability
            moved[str(meant)] = meant, max(min(both, SUREST), probability)
        return [parse for parse, _ in moved.values()], np.array([probability for _, probability in moved.values()])

    def _of_what_is_named(self, parses: Sequence[Parse], probabilities: Array) -> Array:
        """The probabilities without readings of other rows, quantities, numbers and values than those that it names."""
        probabilities = _kept([is_about(parse, self.called) for parse in parses], probabilities)
        probabilities = _kept([not self._aims_elsewhere(parse) for parse in parses], probabilities)
        numbers = named_numbers(self.tokens, self.mentions)
        probabilities = _kept([not misplaces(parse, numbers) for parse in parses], probabilities)
        if self.called:  # what is asked of a row by its id tells of its values without being about them
            return probabilities
        values = named_values(self.tokens, self.mentions)
        return _kept([not leaves_out(parse, values) for parse in parses], probabilities)

    def in_place_of(self, parse: Parse) -> Parse:
        """What is meant by a reading, which is the reading itself where it can be meant."""
        parse = of_row(parse, next(iter(self.called)) if len(self.called) == 1 else None)
        parse = self._uncounted(self._without_row(parse) or parse)
        parse = self._of_named_column(parse)
        parse = at_each_threshold(with_ended(parse, self._text, self.mentions), self.tokens)
        parse = self._by_class(parse) if self._asks_by_class else parse
        parse = parse if self._asks_similar else _without_similar(parse)
        parse = self._turned(parse, "compare ", "fairness ") if _FAIR.search(self._text) else parse
        if self._asks_rate_of_class:
            for score in RATES_TAKEN:
                parse = self._turned(parse, f"score {score}", "statistic target")
        parse = self._before_reached(self._of_chance(self._newer(parse)))
        parse = self._importance.in_place_of(parse)
        parse = _with_features(parse) if explains_row(self.tokens) else parse
        parse = self._with_all_scores(parse)
        parse = parse if len(self.schema.target.classes) != 2 else _of_positive(parse)
        return parse if self._names_class else _without_class(parse)

    @cached_property
    def _text(self) -> str:
        return " ".join(token.text for token in self.tokens)

    @cached_property
    def _speaks_of_predictions(self) -> bool:
        return _PREDICTED.search(self._text) is not None and _TRUE.search(self._text) is None

    def _aims_elsewhere(self, parse: Parse) -> bool:
        """Whether a counterfactual is to reach a quantity of the turn before, where the message names another number that the
        parse does not hold: "how would I bring it below 150,000?"."""
        goals = {step.value for step in parse.steps if isinstance(step, Counterfactual) and step.comparator is not None}
        spoken = {token.value for token in self.tokens if token.kind is TokenKind.NUMBER}
        held = {float(word) for word in re.findall(r"(?<= )-?\d+(?:\.\d+)?(?= )", str(parse))}
        return bool(goals) and goals.isdisjoint(spoken) and not spoken <= held

    @cached_property
    def _averages(self) -> bool:
        """Whether it asks for an average, where what is predicted is a class and is not named."""
        spoken_of = any(one.name.role in (NameRole.OUTCOME, NameRole.CLASS) for one in self.mentions)
        return self.schema.target.is_classification and not spoken_of and _AVERAGE.search(self._text) is not None

    def _of_named_column(self, parse: Parse) -> Parse:
        """What a parse asks of one column, of the only one that the message names, where the parse has that nowhere; and what
        it asks of two that work together, of the only two that are named.

        Of 138 messages of the corpus that name two columns and may ask for an interaction, 133 may ask for that of the two.
        """
        wanted: dict[Step, Step] = {}
        words, pair = {*str(parse).split()}, self._columns_named(NameRole.PROPERTY)
        together = [step for step in parse.steps if isinstance(step, Interact)]
        if together:
            if len(pair) == 2 and not {*pair} <= words:
                wanted[together[0]] = replace(together[0], features=pair)
        else:
            alone = [step for step in parse.steps if isinstance(step, OF_COLUMN) and step.feature is not None]
            named = self._columns_named()
            if len(alone) == 1 and len(named) == 1 and named[0] not in words:
                wanted[alone[0]] = replace(alone[0], feature=named[0])
        return self.read(str(Parse(tuple(wanted.get(step, step) for step in parse.steps)))) or parse if wanted else parse

    def _columns_named(self, *further: NameRole) -> tuple[str, ...]:
        """The columns that the message names as such, or in a `further` role, in their order; none where it names what is
        predicted."""
        if any(one.name.role is NameRole.OUTCOME for one in self.mentions):
            return ()
        columns = [one.name.feature for one in self.mentions if one.name.role in (*NAMED, *further)]
        return tuple(dict.fromkeys(column.token for column in columns if column is not None))

    def _is_of_nobody(self, parse: Parse) -> bool:
        """Whether a parse asks of all rows what is asked of one: the rows of before, if there are any, are meant."""
        selects = any(isinstance(step, Selection) for step in parse.steps)
        rows = rows_after(parse, self.context.rows) if selects else None
        of_all = rows is None or (not rows.conditions and rows.instance is None)
        of_one = OF_ONE | Important if _FOR_SOMEBODY.search(self._text) else OF_ONE
        return of_all and all(isinstance(step, of_one | Selection) for step in parse.steps)

    def _is_of_data(self, parse: Parse) -> bool:
        """Whether a parse asks for what is in the table alone, of rows that were not picked by a prediction."""
        rows = rows_after(parse, self.context.rows)
        predicted = rows is not None and any(isinstance(one, PredictionCondition) for one in rows.conditions)
        return not predicted and all(_OF_DATA.match(text) for _, text in parse.items())

    @cached_property
    def _names_class(self) -> bool:
        """Whether it names a class; true where there are more than two, which a counterfactual may go to."""
        return len(self.schema.target.classes) != 2 or bool(self._classes_named)

    @cached_property
    def _classes_named(self) -> frozenset[int]:
        by_name = {one.name.class_number for one in self.mentions if one.name.class_number is not None}
        return frozenset({*by_name, *classes_by_word([token.text for token in self.tokens], self.schema).values()})

    def of_class(self, parse: Parse) -> Parse:
        """A reading with its rates as rates of the class that the message names; once, for it turns them round."""
        return ClassRates(self._text, self._classes_named, self.context, self.schema, self.read).of_class(parse)

    @cached_property
    def _asks_similar(self) -> bool:
        others = _LOOKS.sub("", self._text)
        return others == self._text or _ALIKE_ROWS.search(others) is not None

    @cached_property
    def _asks_by_class(self) -> bool:
        """Whether it asks for each class of the target, and for no column that is called so."""
        match = _BY_CLASS.search(self._text)
        at = self._text[: match.start(1)].count(" ") if match else -1
        return match is not None and not any(one.start <= at < one.end for one in self.mentions)

    def _by_class(self, parse: Parse) -> Parse:
        """A figure of all as that of each class, where the language can say so."""
        *_, last = parse.steps
        if not isinstance(last, Statistic | Score) or " by " in surface(last) or " versus " in str(parse):
            return parse
        return self.read(f"{str(parse).removesuffix(' [e]')} by target [e]") or parse

    @cached_property
    def _asks_rate_of_class(self) -> bool:
        """Whether it asks how frequent a class is ("the survival rate"): of 21 messages of the corpus that name a class, 18
        ask for true classes and two, one of which says so, for accuracy; all 9 that name the target ("the churn rate") ask for
        true classes."""
        named = {one.end for one in self.mentions if one.name.class_number is not None}
        named |= {at + 1 for at in classes_by_word([token.text for token in self.tokens], self.schema)}
        named |= {one.end for one in self.mentions if one.name.role is NameRole.OUTCOME}
        rates = {at for at, token in enumerate(self.tokens) if token.text in _RATES}
        return bool(named & rates) and _RIGHT.search(self._text) is None

    @cached_property
    def _asks_chance(self) -> bool:
        """Whether it asks how likely a class is, in words that are none of a column's."""
        named = {at for one in self.mentions if one.name.feature is not None for at in range(one.start, one.end)}
        spoken = {self._text[: match.end()].count(" ") for match in _CHANCE.finditer(self._text)}
        return self.schema.target.is_classification and bool(spoken - named)

    @cached_property
    def _importance(self) -> AskedImportance:
        return AskedImportance(self.tokens, self.mentions, self.read)

    def _uncounted(self, parse: Parse) -> Parse:
        """A parse that takes no id of a row for a count: "which customers look most like 312?"."""
        rows = rows_after(parse, None)
        ids = {str(one.id) for one in rows.conditions if isinstance(one, IdCondition)} if rows is not None else set()
        once = {one for one in ids if sum(token.text == one for token in self.tokens) == 1}
        steps = [_with_usual_count(step) if str(getattr(step, "count", "")) in once else step for step in parse.steps]
        return Parse(tuple(steps)) if steps != list(parse.steps) else parse

    def _of_chance(self, parse: Parse) -> Parse:
        """How likely a class is, in place of what is predicted, where the message asks for a probability."""
        *_, last = parse.steps
        otherwise = any(isinstance(step, Likelihood | Threshold) for step in parse.steps)
        if not isinstance(last, Predict) or otherwise or not self._asks_chance:
            return parse
        return self.read(f"{str(parse).removesuffix('predict [e]')}likelihood [e]") or parse

    def _newer(self, parse: Parse) -> Parse:
        """What the corpus has no words of the language for: how sure a prediction is, what a threshold reaches."""
        if "balanced accuracy" in self._text:
            parse = self._turned(parse, "score accuracy", "score balanced")
        if len(self.schema.target.classes) == 2 and not self._names_class and (unsure := self._doubts) is not None:
            for end in ("highest", "lowest"):
                parse = self._turned(parse, f"{end} ", f"{'lowest' if unsure else 'highest'} ", " probability", " certainty")
        if self._asks_precision:
            for score in ("accuracy", "default", "recall"):
                parse = self._turned(parse, f"score {score}", "score precision")
        reached = _REACHES.search(_numbered(self.tokens))
        if reached is not None and (at := _THRESHOLD.fullmatch(str(parse))) is not None:
            name = "recall" if reached[1] == "sensitivity" else reached[1]
            parse = self.read(f"{at[1]}threshold {name} {at[2]} [e]") or parse
        return parse

    @cached_property
    def _asks_precision(self) -> bool:
        numbers = any(token.kind is TokenKind.NUMBER for token in self.tokens)
        return len(self.schema.target.classes) == 2 and not numbers and _WHEN_PREDICTED.search(self._text) is not None

    def _before_reached(self, parse: Parse) -> Parse:
        """What has not reached a number is less than it."""
        text = str(parse)
        for token in self._not_reached:
            for relation in ("less equal than", "equal to"):
                text = text.replace(f" {relation} {token.text} ", f" less than {token.text} ")
        return parse if text == str(parse) else self.read(text) or parse

    @cached_property
    def _not_reached(self) -> list[UtteranceToken]:
        ends = {self._text[: match.end()].count(" ") for match in _NOT_REACHED.finditer(self._text)}
        return [self.tokens[at] for at in ends if self.tokens[at].kind is TokenKind.NUMBER]

    def _with_all_scores(self, parse: Parse) -> Parse:
        """A reading that asks for scores, with each one that the message calls by its name."""
        asked = [_SCORE.fullmatch(surface(step)) for step in parse.steps if not isinstance(step, Selection)]
        scores = [one for one in asked if one is not None]
        held = {_ALIKE.get(one[1], one[1]) for one in scores}
        missing = [name for name in self._scores_named if name not in held]
        if not scores or len(scores) < len(asked) or not missing or _CORRECTS.search(self._text):
            return parse
        further = "".join(f" and score {name}{scores[-1][2]}" for name in missing)
        return self.read(f"{str(parse).removesuffix(' [e]')}{further} [e]") or parse

    @cached_property
    def _scores_named(self) -> tuple[str, ...]:
        words = self._text.replace("balanced accuracy", "").split()  # which is a score by itself
        operations = [TERMS[word].split() for word in words if word in TERMS]
        return tuple(dict.fromkeys(_ALIKE.get(name, name) for kind, name in operations if kind == "score"))

    @cached_property
    def _doubts(self) -> bool | None:
        """Whether it asks for what the model is unsure of; False for what it is sure of, None for neither."""
        text = _OWN_DOUBT.sub("", self._text)
        if _UNSURE.search(text):
            return True
        return False if _SURE.search(text) else None

    def _turned(self, parse: Parse, before: str, after: str, ends: str = "", ends_after: str = "") -> Parse:
        """A parse that asks for one thing, with another operation in its place where the language can say so: `after` for the
        `before` that it begins with, and likewise at its end."""
        asked = [surface(step) for step in parse.steps if not isinstance(step, Selection)]
        if len(asked) != 1 or not asked[0].startswith(before) or not asked[0].endswith(ends):
            return parse
        head, _, rest = str(parse).removesuffix(f"{ends} [e]").rpartition(before)
        return self.read(f"{head}{after}{rest}{ends_after} [e]") or parse

    def _without_row(self, parse: Parse) -> Parse | None:
        """What a parse asks of the one row of the turn before, of all rows; None where it is about another row or takes one."""
        rows = rows_after(parse, self.context.rows)
        asked = [step for step in parse.steps if not isinstance(step, Selection)]
        if rows is None or not asked or len(asked) == len(parse.steps) or self.called:
            return None
        if _EVERY.search(self._text) and any(isinstance(step, Change) for step in asked) and _names_one_row(rows):
            return Parse(tuple(asked))
        if not _is_one_row(rows):
            return None
        scored = any(token.text in SCORES for token in self.tokens)
        of_many = (*OF_MANY, "score") if scored else OF_MANY
        return Parse(tuple(asked)) if all(surface(step).startswith(of_many) for step in asked) else None


def explains_row(tokens: Sequence[UtteranceToken]) -> bool:
    """Whether a message asks to explain a row and nothing else."""
    return _EXPLAINS.search(_numbered(tokens)) is not None


def _numbered(tokens: Sequence[UtteranceToken]) -> str:
    """The words of a message with `<n>` for each number."""
    return " ".join("<n>" if token.kind is TokenKind.NUMBER else token.text for token in tokens)


def _kept(kept: Sequence[bool], probabilities: Array) -> Array:
    """The probabilities, with all that is held likely given to the readings that are kept, if any are.

    Readings that mean the same are each as likely as their meaning, so their sum can be above 1; then none becomes likelier.
    """
    mask = np.array(kept, np.bool_)
    held = float(probabilities[mask].sum())
    if mask.all() or not held:
        return probabilities
    share = max(min(float(probabilities.sum()), 1.0) / held, 1.0)
    return np.where(mask, np.minimum(probabilities * share, SUREST), 0.0)


def _summed_up(parse: Parse) -> set[str]:
    """The columns whose mean or shares a parse asks for."""
    return {step.feature for step in parse.steps if isinstance(step, Statistic | StatisticBy)}


def _is_one_row(rows: RowState) -> bool:
    return not rows.changes and _names_one_row(rows)


def _names_one_row(rows: RowState) -> bool:
    """Whether the rows are one of the table, as it is or changed."""
    only = rows.conditions if rows.is_plain else ()
    return rows.instance is None and any(isinstance(each, IdCondition) for each in only)


def _without_similar(parse: Parse) -> Parse:
    """What else is asked, where similar rows are not all that is."""
    steps = tuple(step for step in parse.steps if not isinstance(step, Similar))
    return Parse(steps) if any(not isinstance(step, Selection | Instance | Change) for step in steps) else parse


def _is_counterfactual(parse: Parse) -> bool:
    return any(isinstance(step, Counterfactual) for step in parse.steps)


def _with_usual_count(step: Step) -> Step:
    """The step with as many rows or ways as it has where nobody says how many."""
    if isinstance(step, Similar):
        return Similar()
    return replace(step, count=None) if isinstance(step, Counterfactual) else step


def _with_features(parse: Parse) -> Parse:
    """Why the model predicts what it does, in place of what would have to change."""
    return Parse(tuple(Explain() if isinstance(step, Counterfactual) else step for step in parse.steps))


def _of_positive(parse: Parse) -> Parse:
    """The probability of the positive of two classes without its number, which is the same."""
    return Parse(tuple(Likelihood() if step == ClassLikelihood(1) else step for step in parse.steps))


def _without_class(parse: Parse) -> Parse:
    """Counterfactuals without the class that nobody named."""
    steps = tuple(replace(step, class_number=None) if isinstance(step, Counterfactual) else step for step in parse.steps)
    return parse if steps == parse.steps else Parse(steps)
