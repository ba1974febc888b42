"""The default parser: names and numbers by rule, everything else as learned; a new data set needs no training.

Three sources propose readings: what the encoder's decisions compose to, what the decoder writes, and the rules for complete
questions (`ttm/parsers/linker`). The ranking of the evidence (`ranking.py`) says how probable it is that each was meant,
whichever source it has.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from copy import copy
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

import numpy as np

from backend.errors import ParseError
from backend.models.boosted_trees import Array
from ttm.language.grammar import grammar_of
from ttm.language.parse import Define, Parse, PreviousOperation
from ttm.parsers.learned.answering import POLICY, AskingPolicy, answer_or_ask
from ttm.parsers.learned.assumption import assuming, spelled_out
from ttm.parsers.learned.composition.compose import Composer
from ttm.parsers.learned.composition.contradictions import each_once, is_contradictory
from ttm.parsers.learned.composition.edits import edits_of
from ttm.parsers.learned.composition.named_operations import PLAIN, with_named_operations
from ttm.parsers.learned.composition.unsaid_moves import (
    makes_up_moved,
    moved_together,
    moves_otherwise,
    moves_unsaid,
    uncrossed,
)
from ttm.parsers.learned.constraints import MessageConstraints, explains_row
from ttm.parsers.learned.decisions.decide import decide
from ttm.parsers.learned.decisions.plain_form import plain_form
from ttm.parsers.learned.decisions.span_decisions import Decisions
from ttm.parsers.learned.decisions.taught_names import TaughtNames, taught_columns, taught_names
from ttm.parsers.learned.decoder.decoded_readings import DecodedReader, with_listed, with_request
from ttm.parsers.learned.decoder.decoder_file import decoder
from ttm.parsers.learned.denials import Denials
from ttm.parsers.learned.encoder.encoder_input import encoder_input
from ttm.parsers.learned.encoder.item_words import ItemWords
from ttm.parsers.learned.encoder.network import LEARNED, network, table_vectors
from ttm.parsers.learned.encoder.schema_items import SchemaItem, SchemaItemKind
from ttm.parsers.learned.encoder.state_words import state_words
from ttm.parsers.learned.evidence import ProposedReading, features_of, is_sure, message_features
from ttm.parsers.learned.ranking import ReadingRanking, ranking
from ttm.parsers.learned.readings import Reading, readings_of
from ttm.parsers.learned.replies import replied
from ttm.parsers.learned.second_opinion.second_reader import SecondReader
from ttm.parsers.learned.second_opinion.two_opinions import TwoOpinions, two_opinions
from ttm.parsers.learned.second_opinion.weighing import SURE, weighing
from ttm.parsers.linker.linking_parser import LinkingParser
from ttm.parsers.linker.schema_linking.linking import Linker
from ttm.parsers.linker.schema_linking.mentions import SchemaMention
from ttm.parsers.linker.schema_linking.names import NameRole
from ttm.parsers.linker.scope import offer
from ttm.parsers.linker.words.tokens import tokenise
from ttm.parsers.plain_requests.row_as_subject import (
    of_row,
    row_of_owner,
    rows_called,
    uses_row_otherwise,
    with_announced_row,
)
from ttm.parsers.plain_requests.thresholds_by_group import thresholds_by_group
from ttm.parsers.understanding import ALONE, DialogueContext, ParseCandidate, Understanding
from ttm.tabular.data.schema import Schema

MOST_CANDIDATES = 5
SHORT = 6  # words of a message that may only complete the one before
COMPLETED = 0.85  # of the confidence of a message that is completed by the next one
POSSIBLE_LINK = -1.2  # log-probability from which a span may name a column
SURELY = 0.05  # cost below which a composed reading says which way a column changes
NAMES_TARGET = frozenset({NameRole.OUTCOME, NameRole.CLASS, "target", "outcome", "label", "prediction", "result"})
SURE_ALONE = 0.5  # probability from which what nothing but the decoder writes is a reading after all
COMPOSED = 16  # readings by decisions that are compared with those by rule


@dataclass(frozen=True)
class ReadingProposals:
    """What was decided about a message, and its readings: as composed, and all proposed ones with their origin. `verdicts`:
    log-probabilities by the decoder that no parse is meant; `made_up`: those of the proposed that only it wrote, and that are
    never offered, since nothing in the message names what they are about."""

    decisions: Decisions
    mentions: tuple[SchemaMention, ...]
    composed: tuple[Reading, ...]
    proposed: tuple[ProposedReading, ...]
    verdicts: Mapping[str, float]
    denials: Denials
    made_up: frozenset[str] = frozenset()


def evidence_of(proposals: ReadingProposals, context: DialogueContext) -> tuple[Array, Array]:
    """The evidence for each reading, and for none of them."""
    return (
        features_of(proposals.denials, proposals.proposed, proposals.mentions, context),
        message_features(proposals.denials, proposals.proposed, context, proposals.verdicts),
    )


class LearnedParser:
    """Parses messages about one data set. Build once per schema; may be used from several threads."""

    def __init__(
        self,
        schema: Schema,
        weights: Path = LEARNED,
        policy: AskingPolicy = POLICY,
        names: TaughtNames | None = None,
        second: SecondReader | None = None,
    ) -> None:
        self.schema = schema
        self.policy = policy
        self._weights = weights
        self._names = names  # None: those that lie beside the weights
        self.second = second  # None: the ranking of the evidence alone decides
        self._linker = Linker(schema)
        self._rules = LinkingParser(schema)
        self._grammar = grammar_of(schema)
        self._composer = Composer(schema)
        self._words = ItemWords(self._composer.items)
        self._vectors = table_vectors(self._composer.items)
        self._decoded = DecodedReader(self._composer.items, self._words, self._vectors, self._grammar)

    @property
    def items(self) -> Sequence[SchemaItem]:
        """What a message can refer to in the data set."""
        return self._composer.items

    @property
    def ranking(self) -> ReadingRanking:
        """What says how probable each reading is, as it lies beside the weights now."""
        return ranking(self._weights)

    def with_names(self, names: TaughtNames) -> "LearnedParser":
        """The same parser, which knows these names as well."""
        other = copy(self)
        other._names = {**taught_names(self._weights, self.schema), **names}
        return other

    def proposals(self, utterance: str, context: DialogueContext = ALONE) -> ReadingProposals:
        """Every reading that is considered, not yet in order of probability."""
        tokens = tokenise(utterance)
        mentions = self._linker.mentions(tokens)
        before = state_words(context.parse, context.utterance, context.question)
        names = self._names if self._names is not None else taught_names(self._weights, self.schema)
        net = network(self._weights)
        states = net.read(encoder_input(net.tokenizer, utterance, tokens, mentions, before))
        decisions = decide(net, self._vectors, self._composer.items, utterance, tokens, mentions, states, self._words, names)
        composed = tuple(readings_of(decisions, self._composer, self._grammar, context))
        owner = row_of_owner(tokens)
        proposals = self._by_decisions(composed, decisions, context, owner)
        named = _columns_named(decisions, mentions, context)
        decoded = self._decoded.readings(decoder(self._weights), states, tokens, mentions, context)
        for rank, (written, log_probability) in enumerate(decoded.parses):
            parse = of_row(written, owner)
            known = proposals.get(str(parse)) or ProposedReading(parse, rank=rank)
            proposals[str(parse)] = replace(known, decoded=log_probability, decoded_rank=rank)
        by_rule = self._rules.understand(utterance, context)
        self._add_rules(proposals, by_rule, decisions, owner)
        denials = Denials(decisions, self.schema)
        proposals = _corrected(proposals, denials)
        self._add_turned(proposals, denials)
        possible = [one for one in proposals.values() if not _moves_wrongly(one.parse, decisions, context)]
        rows = self._rules.announced_ids(tokens, mentions)
        possible = [one for one in possible if not any(uses_row_otherwise(one.parse, row) for row in rows)] or possible
        taught = taught_columns(tokens, names)
        possible = [one for one in possible if taught <= frozenset(str(one.parse).split())] or possible
        proposed = tuple(one for one in possible if _can_be_meant(one.parse, context, named))
        proposed = proposed or tuple(one for one in proposals.values() if not _defines_another(one.parse, named))
        made_up = self._made_up(proposed, composed, named)
        return ReadingProposals(decisions, tuple(mentions), composed, proposed, dict(decoded.verdicts), denials, made_up)

    def _by_decisions(
        self, composed: Sequence[Reading], decisions: Decisions, context: DialogueContext, owner: str | None
    ) -> dict[str, ProposedReading]:
        """What the decisions compose to and what they change of the turn before, by their text."""
        proposals = {
            str(parse): ProposedReading(
                parse, one.cost, len(one.composition.problems) + len(one.composition.questions), rank=rank
            )
            for rank, one in enumerate(composed[:COMPOSED])
            for parse in [of_row(one.parse, owner)]
        }
        for rank, edited in enumerate(edits_of(decisions, self.schema, context)):
            parse = of_row(edited, owner)
            text = str(parse)
            if text in proposals:
                proposals[text] = replace(proposals[text], edits=True)
            elif self._reads(text):
                proposals[text] = ProposedReading(parse, rank=rank, edits=True)
        return proposals

    def _add_rules(
        self, proposals: dict[str, ProposedReading], by_rule: Understanding, decisions: Decisions, owner: str | None
    ) -> None:
        for rank, candidate in enumerate(by_rule.candidates):
            parse = of_row(uncrossed(candidate.parse, decisions), owner)
            known = proposals.get(str(parse)) or ProposedReading(parse)
            proposals[str(parse)] = replace(
                known, rule_confidence=candidate.confidence, rule_rank=rank, rules_ask=by_rule.question is not None,
                rules_leave=len(by_rule.unused),
            )  # fmt: skip

    def _add_turned(self, proposals: dict[str, ProposedReading], denials: Denials) -> None:
        """Each reading that holds what the message denies, the other way round as well."""
        for one in tuple(proposals.values()):
            turned = denials.denied(one.parse)
            if turned is not None and str(turned) not in proposals:
                proposals[str(turned)] = replace(one, parse=turned, turned=True)

    def _made_up(
        self, proposed: Sequence[ProposedReading], composed: Sequence[Reading], named: frozenset[str]
    ) -> frozenset[str]:
        """What only the decoder writes and nothing supports: it changes a column another way than was decided, is about a
        column that is not named, or defines the target for want of another."""
        decided = {_masked(one.parse) for one in composed if one.cost < SURELY}
        columns = {feature.token for feature in self.schema.features} - named
        alone = [one.parse for one in proposed if one.cost is None and one.rule_confidence is None and not one.edits]
        return frozenset(
            str(one)
            for one in alone
            if _masked(one) in decided
            or not columns.isdisjoint(str(one).split())
            or any(isinstance(step, Define) and step.feature == "target" for step in one.steps)
        )

    def _reads(self, text: str) -> bool:
        try:
            return self._grammar.read(text) is not None
        except ParseError:
            return False

    def understand(self, utterance: str, context: DialogueContext = ALONE) -> Understanding:
        """Up to five readings of an utterance, best first. Never raises; text without sense is out of scope."""
        plain = plain_form(utterance, self.schema)
        understanding = self.understanding_of(self.proposals(plain.utterance, assuming(context)), context)
        restored = plain.restored(understanding, self._grammar.read_if_valid)
        return restored or self.understanding_of(self.proposals(utterance, assuming(context)), context)

    def understanding_of(self, proposals: ReadingProposals, context: DialogueContext) -> Understanding:
        """What is made of the proposals for a message in the context of `assuming`."""
        utterance, assumed = proposals.decisions.utterance, assuming(context)
        reply = replied(proposals.decisions.tokens, context, self.schema)
        if reply is not None and reply.parse is None:
            return Understanding(utterance, (), True, f"Then please say it in other words. {offer(self.schema)}")
        ranked, verdicts = self._ranked(proposals, assumed)
        candidates = tuple(replace(one, parse=spelled_out(one.parse, assumed)) for one in ranked)
        if assumed.likeliest is not None:  # else none was spelled out
            candidates = tuple(one for one in candidates if self._reads(str(one.parse)))
        if reply is not None and reply.parse is not None and self._reads(str(reply.parse)):
            picked = ParseCandidate(reply.parse, reply.confidence)
            others = (replace(one, confidence=min(one.confidence, 1 - picked.confidence)) for one in candidates)
            rest = tuple(one for one in others if one.parse != picked.parse)
            return Understanding(utterance, (picked, *rest)[:MOST_CANDIDATES], True)
        candidates = _each_text_once(self._completed(utterance, proposals, candidates, context))
        best = next(
            (one for one in proposals.composed if candidates and spelled_out(one.parse, assumed) == candidates[0].parse), None
        )
        problems = tuple([one.question for one in best.composition.problems] + best.composition.questions) if best else ()
        decisions = replace(proposals.decisions, ingredients={**proposals.decisions.ingredients, **verdicts})
        return answer_or_ask(decisions, candidates, problems, self.schema, proposals.mentions, self.policy, context)

    def _completed(
        self, utterance: str, proposals: ReadingProposals, candidates: tuple[ParseCandidate, ...], context: DialogueContext
    ) -> tuple[ParseCandidate, ...]:
        """The readings with those of a short message that completes the one that was asked about: `over 60`."""
        tokens = proposals.decisions.tokens
        if not context.question or len(tokens) > SHORT or explains_row(tokens):
            return candidates
        before = replace(context, question="", candidates=(), likeliest=None)
        joined, _ = self._ranked(self.proposals(f"{context.utterance}, {utterance}", before), before)
        further = [ParseCandidate(one.parse, COMPLETED * one.confidence) for one in joined]
        likeliest: dict[str, ParseCandidate] = {}
        for one in sorted((*candidates, *further), key=lambda one: -one.confidence):
            likeliest.setdefault(str(one.parse), one)
        return tuple(islice(likeliest.values(), MOST_CANDIDATES))

    def _ranked(
        self, proposals: ReadingProposals, context: DialogueContext
    ) -> tuple[tuple[ParseCandidate, ...], Mapping[str, float]]:
        """The likeliest readings with their probabilities; log-odds of the verdicts by the second opinion, if there is one."""
        constraints = self._constraints(proposals, context)
        tokens, mentions = constraints.tokens, constraints.mentions
        weighed, verdicts = self._weighed(proposals, context, constraints)
        ranked = [
            ParseCandidate(moved_together(one.parse, proposals.decisions), one.confidence)
            for one in weighed
            if one.confidence >= SURE_ALONE or str(one.parse) not in proposals.made_up
        ]
        apart = thresholds_by_group(tokens, self.schema, self._rules)
        if apart is not None:
            named: Sequence[ParseCandidate] = (ParseCandidate(apart, PLAIN), *ranked)
        else:
            named = with_announced_row(
                with_named_operations(ranked, tokens, mentions, self.schema, bool(context.utterance), self.second is not None),
                tokens,
            )
        readable = (one for one in named if self._reads(str(one.parse)))
        meant = (replace(one, parse=constraints.of_class(constraints.in_place_of(one.parse))) for one in readable)
        return tuple(islice(_each_once(meant), MOST_CANDIDATES)), verdicts

    def _constraints(self, proposals: ReadingProposals, context: DialogueContext) -> MessageConstraints:
        """What the message without its typing errors asks readings to hold."""
        tokens = self._rules.spelled(proposals.decisions.tokens)
        same = tuple(tokens) == proposals.decisions.tokens
        mentions = proposals.mentions if same else self._linker.mentions(tokens)
        called = rows_called(tokens, self._rules.announced_ids(tokens, mentions))
        return MessageConstraints(tokens, mentions, called, context, self.schema, self._grammar.read_if_valid)

    def _weighed(
        self, proposals: ReadingProposals, context: DialogueContext, constraints: MessageConstraints
    ) -> tuple[list[ParseCandidate], Mapping[str, float]]:
        """The readings in order of their probability, in the light of both opinions if there are two, and the verdicts."""
        stated, shares = self.stated(proposals, context)
        both = self.opinions(proposals, context, stated, shares)
        parses: Sequence[Parse] = [one.parse for one in proposals.proposed]
        verdicts: Mapping[str, float] = {}
        if both is not None:
            parses, verdicts = both.parses, both.verdicts
            stated = weighing(self._weights).probabilities(both.features)
        if parses:
            sure = frozenset(str(one.parse) for one in proposals.proposed if is_sure(one))
            stated = _sure_before_definitions(parses, sure, stated)
            parses, stated = constraints.meant(parses, stated)
            order = [at for at in np.argsort(-stated, kind="stable") if stated[at]]
            return [ParseCandidate(parses[at], float(stated[at])) for at in order], verdicts
        return [], verdicts

    def stated(self, proposals: ReadingProposals, context: DialogueContext) -> tuple[Array, Array]:
        """What the ranking holds of the proposed readings: the probability of each, and its share of the competition."""
        if not proposals.proposed:
            return np.zeros(0), np.zeros(0)
        evidence = evidence_of(proposals, context)
        return self.ranking.probabilities(*evidence), self.ranking.shares(*evidence)

    def opinions(
        self, proposals: ReadingProposals, context: DialogueContext, stated: Array, shares: Array
    ) -> TwoOpinions | None:
        """What ranking and language model think of the readings in the context of `assuming`; None without such a model, and
        where the ranking is sure."""
        if self.second is None or stated.max(initial=0.0) >= SURE:
            return None
        parses = [one.parse for one in proposals.proposed]
        return two_opinions(
            self.second, proposals.decisions.utterance, context, parses, stated, shares,
            lambda text: self._written(text, proposals, context),
        )  # fmt: skip

    def _written(self, text: str, proposals: ReadingProposals, context: DialogueContext) -> Parse | None:
        """The parse of a text that the language model wrote by itself, if the message can mean it."""
        decisions = proposals.decisions
        stated = with_listed(text, decisions.tokens, context.listed)
        parse = self._grammar.read_if_valid(stated) if stated is not None else None
        if parse is None or not parse.steps:
            return None
        parse = each_once(with_request(parse))
        named = _columns_named(decisions, proposals.mentions, context)
        rows = self._rules.announced_ids(decisions.tokens, proposals.mentions)
        uses_otherwise = any(uses_row_otherwise(parse, row) for row in rows)
        wrong = uses_otherwise or _moves_wrongly(parse, decisions, context) or not _can_be_meant(parse, context, named)
        return None if wrong else parse


def _each_once(candidates: Iterable[ParseCandidate]) -> Iterator[ParseCandidate]:
    """Each reading where it comes first."""
    texts: set[str] = set()
    for one in candidates:
        if str(one.parse) not in texts:
            texts.add(str(one.parse))
            yield one


def _each_text_once(candidates: Sequence[ParseCandidate]) -> tuple[ParseCandidate, ...]:
    """Of readings that are spelled out alike, the likeliest; the others share what the first leaves of 1."""
    unique: dict[str, ParseCandidate] = {}
    for one in candidates:
        unique.setdefault(str(one.parse), one)
    likeliest = list(unique.values())
    first, others = likeliest[:1], likeliest[1:]
    left = 1 - sum(one.confidence for one in first)
    share = left / max(sum(one.confidence for one in others), left, 1e-9)
    return *first, *(replace(one, confidence=one.confidence * share) for one in others)


def _moves_wrongly(parse: Parse, decisions: Decisions, context: DialogueContext) -> bool:
    """Whether a parse changes what the message does not, or another way than that says."""
    unsaid = moves_unsaid(parse, decisions.tokens, context) or makes_up_moved(parse, decisions)
    return unsaid or moves_otherwise(parse, decisions)


def _sure_before_definitions(parses: Sequence[Parse], sure: Set[str], probabilities: Array) -> Array:
    """The probabilities, changed for one another where a definition is not thrice as likely as what the rules are sure of:
    what a column means is what encoder and decoder make of words that they do not know."""
    best = int(probabilities.argmax())
    first_sure = next((at for at, parse in enumerate(parses) if str(parse) in sure), best)
    defines = any(isinstance(step, Define) for step in parses[best].steps)
    if defines and 3 * probabilities[first_sure] > probabilities[best]:
        probabilities[[best, first_sure]] = probabilities[[first_sure, best]]
    return probabilities


def _corrected(proposals: dict[str, ProposedReading], denials: Denials) -> dict[str, ProposedReading]:
    """The readings by their text, with the classes that the message denies the other way round."""
    own: dict[str, ProposedReading] = {}
    for one in proposals.values():
        parse = denials.corrected(one.parse) or one.parse
        own.setdefault(str(parse), replace(one, parse=parse))
    return own


def _masked(parse: Parse) -> str:
    """A parse without the ways in which it changes columns."""
    return _CHANGE.sub(r"change \1", str(parse))


_CHANGE = re.compile(r"change (\S+) (?:set|increase|decrease)\b")


def _can_be_meant(parse: Parse, context: DialogueContext, named: frozenset[str]) -> bool:
    """Whether some row could meet its conditions, what it repeats was asked before, and what it defines is named."""
    repeats = any(isinstance(step, PreviousOperation) for step in parse.steps)
    return not (is_contradictory(parse) or _defines_another(parse, named)) and bool(context.operations or not repeats)


def _defines_another(parse: Parse, named: frozenset[str]) -> bool:
    """Whether a parse defines a column or the target that the message does not name, as in "what does overfitting mean?"."""
    return any(isinstance(step, Define) and step.feature not in named for step in parse.steps)


def _columns_named(decisions: Decisions, mentions: Sequence[SchemaMention], context: DialogueContext) -> frozenset[str]:
    """Columns and target if a message may name them, and those of the turn before: "what does that mean?" is about these."""
    by_rule = {name.feature.token for mention in mentions for name in mention.names if name.feature is not None}
    links = [item for span in decisions.spans for item, sure in span.links if item is not None and sure > POSSIBLE_LINK]
    before = frozenset(str(context.parse).split()) if context.parse is not None else frozenset[str]()
    named = {name.role for mention in mentions for name in mention.names} | {token.text for token in decisions.tokens}
    target = not named.isdisjoint(NAMES_TARGET) or any(item.kind is SchemaItemKind.TARGET for item in links)
    columns = {item.feature.token for item in links if item.feature is not None}
    return before | by_rule | columns | ({"target"} if target else set())
