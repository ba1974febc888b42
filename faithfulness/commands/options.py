"""Options that several commands share: data, models and plan, and how their values are read."""

import argparse
import json
import re

from backend.errors import FaithfulnessError
from backend.models.language_models import PACKAGED_MODEL, WAYS
from faithfulness.method.explain import Plan
from faithfulness.method.regions import Splitter
from faithfulness.runs.profiles import KEY_NEEDED, VARIABLE, Profile, profile_of
from faithfulness.runs.run import RunSpecification
from faithfulness.runs.shapes import parse_columns

NO_KEY = "NO_KEY"  # a variable that is not set
PROFILE_OPTIONS = (
    "key", "protocol", "guide", "reply_tokens", "timeout", "retries", "temperature", "fields", "deterministic", "dtype",
    "in_flight", "prompt_price", "completion_price", "interface", "log_probabilities", "threads",
)  # fmt: skip


def add_data(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--data",
        required=True,
        metavar="FILE|FOLDER|hf:OWNER/NAME[:SPLIT]",
        help="rows with question, context and answers, in the usual shapes: .jsonl, .json, .csv, .tsv, .xlsx, .parquet, "
        "a folder of save_to_disk, or a Hugging Face data set",
    )
    parser.add_argument("--columns", type=columns, default={}, metavar="question=NAME,...",
                        help="what the columns are called: question=NAME,context=NAME,answers=NAME,id=NAME")  # fmt: skip
    parser.add_argument("--own-answer", action="store_true",
                        help="judge by the model's own answer with the whole passage, as rows without answers are")  # fmt: skip
    parser.add_argument("--limit", type=positive, metavar="N", help="only N rows, drawn at random by --seed")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="start of every random draw (0)")
    parser.add_argument("--skip-bad", action="store_true", help="leave out rows that cannot be used, and say which")


def add_models(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--model", action="append", dest="models", metavar="NAME",
        help=f"a model; repeat it for several. {PACKAGED_MODEL}, the default, runs on this computer, and so does "
        "transformers:NAME_OR_FOLDER, a model of the Hugging Face hub",
    )  # fmt: skip
    parser.add_argument("--base-url", metavar="URL", help="address of a server with the OpenAI interface")
    parser.add_argument("--key", type=variable, metavar="VARIABLE",
                        help="environment variable that holds the key (OPENAI_API_KEY), or none; never itself")  # fmt: skip
    parser.add_argument(
        "--protocol", choices=["chat", "continuation", "paper"], help="how to ask; by default the model's profile says"
    )
    parser.add_argument("--guide", choices=[*WAYS, "none"], metavar="WAY",
                        help=f"hold replies to their form, if the server can: {', '.join(WAYS)} or none")  # fmt: skip
    parser.add_argument("--reply-tokens", type=positive, metavar="N",
                        help="tokens of a reply before it is asked for once more with room to spare; models that reason "
                        "need some thousands")  # fmt: skip
    parser.add_argument("--timeout", type=seconds, metavar="SECONDS", help="what a server has for the whole of a reply (60)")
    parser.add_argument("--retries", type=int, metavar="N", help="how often a failed request is made again at once (3)")
    parser.add_argument("--temperature", type=float, metavar="T", help="of draws, where the model takes one (0)")
    parser.add_argument("--fields", type=fields, metavar="JSON", help='what to send with every request, as {"top_k": 1}')
    parser.add_argument("--interface", choices=["chat", "responses"],
                        help="endpoint for chats; a model that says it is behind responses only is moved there")  # fmt: skip
    parser.add_argument("--log-probabilities", action="store_true", default=None,
                        help="ask for those of each reply, where the server gives them: F is also graded by them")  # fmt: skip
    parser.add_argument("--prompt-price", type=float, metavar="DOLLARS", help="for a million tokens in, where it is not known")
    parser.add_argument("--completion-price", type=float, metavar="DOLLARS", help="for a million tokens out")
    parser.add_argument("--deterministic", action="store_true", default=None,
                        help="a model on this computer computes each prompt alone and from scratch (slower)")  # fmt: skip
    parser.add_argument(
        "--threads", type=positive, metavar="N", help="threads of the packaged model (as many as there are cores)"
    )
    parser.add_argument("--dtype", choices=["float32", "bfloat16"], help="numbers of a model that transformers runs")
    parser.add_argument("--in-flight", type=positive, metavar="N", help="calls that may wait for a reply at the same time")


def add_local_model(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--model", default=PACKAGED_MODEL, metavar="NAME", help=f"{PACKAGED_MODEL}, or transformers:NAME_OR_FOLDER"
    )
    parser.add_argument("--dtype", choices=["float32", "bfloat16"], help="numbers of a model that transformers runs")


def add_plan(parser: argparse.ArgumentParser, several: bool = False) -> None:
    """With `several`, parts and groups are lists: 2,3,4."""
    if several:
        parser.add_argument("--parts", type=numbers, default=[2, 3, 4], metavar="P,P", help="numbers of regions (2,3,4)")
        parser.add_argument("--groups", type=numbers, default=[3, 5, 8], metavar="Q,Q", help="numbers of groups (3,5,8)")
    else:
        parser.add_argument("--parts", type=positive, default=3, metavar="P", help="candidate regions of a passage (3)")
        parser.add_argument("--groups", type=positive, default=5, metavar="Q", help="groups of words of a region (5)")
    parser.add_argument("--splitter", choices=[each.value for each in Splitter], default=Splitter.SENTENCES.value,
                        help="equal numbers of words, or these moved to sentence ends (sentences)")  # fmt: skip
    parser.add_argument("--mask", default="_", metavar="TEXT", help="what stands in for a masked group (_)")
    parser.add_argument("--repeats", type=positive, default=1, metavar="N", help="ask each question N times (1)")
    parser.add_argument("--no-closed-book", action="store_true", help="do not ask without the passage")
    parser.add_argument(
        "--paper", action="store_true", help="by the letter of the paper: prompt, cuts at words, metric, keywords as strings"
    )


def add_redaction(parser: argparse.ArgumentParser) -> None:
    """For commands that test the keywords by themselves as well, unless they are told not to."""
    parser.add_argument("--no-redaction", action="store_true",
                        help="do not test the keywords by masking them and by masking all else (3 calls a sample)")  # fmt: skip


def study_of(args: argparse.Namespace) -> RunSpecification:
    args.models = args.models or [PACKAGED_MODEL]
    if len(set(args.models)) < len(args.models):
        raise FaithfulnessError("--model names the same model twice.")
    return RunSpecification(args.data, profiles_of(args), plan_of(args), args.limit, args.skip_bad, args.paper, args.columns)


def plan_of(args: argparse.Namespace) -> Plan:
    return Plan(
        parts=args.parts, groups=args.groups, mask=args.mask,
        splitter=Splitter.WORDS if args.paper else Splitter(args.splitter),
        closed_book=not args.no_closed_book, seed=args.seed, repeats=args.repeats, own_answer=args.own_answer,
        redaction=not (getattr(args, "no_redaction", True) or args.paper), literal=args.paper,
    )  # fmt: skip


def profiles_of(args: argparse.Namespace) -> tuple[Profile, ...]:
    overrides = {name: getattr(args, name) for name in PROFILE_OPTIONS}
    if args.paper and args.protocol is None:
        overrides["protocol"] = "paper"
    profiles = tuple(profile_of(name, args.base_url, **overrides) for name in args.models)
    for each in profiles:
        each.open_protocol()  # says now what does not fit together
        if args.key not in (None, NO_KEY) and not each.here and not each.api_key():
            raise FaithfulnessError(f"--key: there is no such environment variable. {KEY_NEEDED}")
    return profiles


def variable(text: str) -> str:
    """The name of an environment variable; what is wrong with it is said without it, since it may be a key."""
    if text.lower() == "none":
        return NO_KEY
    if not re.fullmatch(VARIABLE, text) or looks_like_a_key(text):
        raise FaithfulnessError(f"--key: {KEY_NEEDED}")
    return text


def looks_like_a_key(text: str) -> bool:
    """Whether a text that could be a variable's name is long and mixed as keys are; AIza... is what Google's begin with."""
    mixed = any(map(str.isdigit, text)) and any(map(str.islower, text)) and any(map(str.isupper, text))
    return text.startswith("AIza") or (len(text) >= 20 and mixed)


def fields(text: str) -> dict[str, object]:
    try:
        read = json.loads(text)
    except ValueError:
        read = None
    if not isinstance(read, dict):
        raise argparse.ArgumentTypeError(f'{text!r} is not a JSON object such as {{"top_k": 1}}')
    return read


def dollars(text: str) -> float:
    return _amount(text, "an amount of dollars")


def _amount(text: str, what: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not {what} above 0")
    return value


def positive(text: str) -> int:
    value = int(text) if text.isdigit() else 0
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above 0")
    return value


def seconds(text: str) -> float:
    return _amount(text, "a number of seconds")


def numbers(text: str) -> list[int]:
    """Whole numbers above 0 between commas, each once, in order."""
    return sorted({positive(part.strip()) for part in text.split(",")})


def columns(text: str) -> dict[str, str]:
    try:
        return parse_columns(text)
    except FaithfulnessError as error:
        raise argparse.ArgumentTypeError(error.message) from error
