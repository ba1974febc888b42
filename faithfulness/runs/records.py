"""A finished report as one line of JSON, and back. The prompts are left out: the protocol makes them again."""

from dataclasses import replace
from typing import Any

from backend.errors import FaithfulnessError
from backend.models.language_models import Reply
from faithfulness.method.correctness import CorrectnessVerdict, MetricClause
from faithfulness.method.explain import REGION, ModelCall, Plan, SampleReport, begin, with_calls
from faithfulness.method.prompting import Exchange
from faithfulness.method.reading import ReplyReading
from faithfulness.method.regions import Span, Splitter
from faithfulness.method.sample import Sample
from faithfulness.runs.rows import Row


def write_report(row: Row, report: SampleReport) -> dict[str, Any]:
    """What `read_report` takes; score and stage are added for people and tables, and computed again when read."""
    sample, score = report.sample, report.score
    return {
        "id": row.id,
        "row": row.number,
        "question": sample.question,
        "passage": sample.passage,
        "answers": list(sample.answers),
        "title": sample.title,
        "source": sample.source,
        **({"passages": [_write_span(span) for span in sample.passages]} if sample.passages else {}),
        "model": report.model,
        "protocol": report.protocol,
        "stage": stage_of(report),
        "answer": report.full.exchange.reading.answer if report.full else None,
        "keywords": list(report.keywords),
        "f": score.f if score else None,
        "calls": [_write_call(call) for call in report.calls],
    }


def read_report(record: dict[str, Any], plan: Plan) -> tuple[Row, SampleReport]:
    """Raises FaithfulnessError if the record is not one that `write_report` made."""
    try:
        passages = tuple(Span(*span) for span in record.get("passages", []))
        answers, title, source = tuple(record["answers"]), record["title"], record["source"]
        sample = Sample(record["question"], record["passage"], answers, title, source, passages)
        row = Row(record["row"], record["id"], sample)
        report = begin(sample, plan, record["model"], record["protocol"])
        calls = [_read_call(each) for each in record["calls"]]
        # Earlier versions cut some passages otherwise: what was asked about counts.
        regions = tuple(call.region for call in calls if call.stage == REGION and call.region)
        return row, with_calls(replace(report, candidates=regions or report.candidates), calls)
    except (KeyError, TypeError, ValueError) as error:
        raise FaithfulnessError(f"A record of the results cannot be read: {error!r} in {str(record)[:80]}.") from error


def stage_of(report: SampleReport) -> str:
    """The last stage of the paper's Table 1 that a sample reached: wrong, answered, sufficient or necessary."""
    if report.full is None or not report.full.verdict.correct:
        return "wrong"
    if not report.sufficient:
        return "answered"
    return "necessary" if report.necessary else "sufficient"


def _write_call(call: ModelCall) -> dict[str, Any]:
    reading, reply = call.exchange.reading, call.exchange.reply
    written: dict[str, Any] = {
        "stage": call.stage,
        "region": _write_span(call.region),
        "group": _write_span(call.group),
        "correct": call.verdict.correct,
        "matched": _write_verdict(call.verdict),
        "answer": reading.answer,
        "keywords": list(reading.keywords),
        "thought": reading.thought,
        "malformed": reading.malformed,
        "lenient": reading.lenient,
        "reply": reply.text,
        "tokens": [reply.prompt_tokens, reply.completion_tokens],
        "seconds": round(reply.seconds, 4),
        "retries": call.exchange.retries,
        "lengthened": call.exchange.lengthened,
        "finish": reply.finish,
        "reasoned": reply.reasoned,
    }
    if call.probability is not None:
        written["probability"] = round(call.probability, 6)
    if len(call.verdicts) > 1:
        written["repeats"] = [_write_verdict(verdict) for verdict in call.verdicts]
    return written


def _read_call(record: dict[str, Any]) -> ModelCall:
    lenient = record.get("lenient", False)  # as below, not in records of earlier versions
    reading = ReplyReading(record["answer"], tuple(record["keywords"]), record["thought"], record["malformed"], lenient)
    # Records of earlier versions do not say how a reply ended.
    finish, reasoned, lengthened = record.get("finish", ""), record.get("reasoned", False), record.get("lengthened", 0)
    prompt_tokens, completion_tokens = record["tokens"]
    reply = Reply(record["reply"], prompt_tokens, completion_tokens, record["seconds"], finish=finish, reasoned=reasoned)
    verdict = _read_verdict(record["matched"])
    repeats = tuple(_read_verdict(matched) for matched in record.get("repeats", [record["matched"]]))
    region, group = _read_span(record["region"]), _read_span(record["group"])
    exchange = Exchange("", reply, reading, record["retries"], lengthened)
    return ModelCall(record["stage"], exchange, verdict, region, group, repeats, record.get("probability"))


def _write_verdict(verdict: CorrectnessVerdict) -> list[str] | None:
    """How an answer was accepted, and as which; None for a wrong one."""
    return [verdict.clause.value, verdict.gold] if verdict.clause else None


def _read_verdict(matched: list[str] | None) -> CorrectnessVerdict:
    return CorrectnessVerdict(MetricClause(matched[0]), matched[1]) if matched else CorrectnessVerdict(None)


def _write_span(span: Span | None) -> list[int] | None:
    return [span.start, span.end] if span else None


def _read_span(span: list[int] | None) -> Span | None:
    return Span(*span) if span else None


def write_plan(plan: Plan) -> dict[str, Any]:
    return {
        "parts": plan.parts,
        "groups": plan.groups,
        "splitter": plan.splitter.value,
        "mask": plan.mask,
        "closed_book": plan.closed_book,
        "seed": plan.seed,
        "repeats": plan.repeats,
        **({"own_answer": True} if plan.own_answer else {}),
        **({"redaction": True} if plan.redaction else {}),
        **({"literal": True} if plan.literal else {}),
    }


def read_plan(record: dict[str, Any]) -> Plan:
    return Plan(**{**record, "splitter": Splitter(record["splitter"])})
