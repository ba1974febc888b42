"""`parley mcp`: the tools of Parley for an agent, over standard input and output (Model Context Protocol).

The same tools are at `/gradio_api/mcp/` of a running Parley, over HTTP.
"""

import asyncio
import functools
import inspect
import json
import logging
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal

from backend.errors import ParleyError
from backend.program import command_line
from backend.program.extras import require
from backend.program.settings import Settings, add_options, read_settings
from faithfulness.reports.sample_json import SampleJson

if TYPE_CHECKING:
    from mcp.server.fastmcp import FastMCP

SETTINGS = (
    "data_dir",
    "dataset",
    "data",
    "target",
    "model",
    "config",
    "trusted_types",
    "parser",
    "kb",
    "kb_wording",
    "operations",
    "seed",
)
ABOUT = (
    "Ask predictive models about their predictions, reasons and mistakes; ask a knowledge base step by step; check which words "
    "of a passage a language model needed. Begin with ttm_describe."
)


def main(argv: Sequence[str], program: str = "parley mcp") -> None:
    """Serve the tools until standard input ends. Raises SettingsError if the package `mcp` is not installed."""
    parser = command_line.CommandLineParser(prog=program, description="Offer Parley's tools to an agent (MCP, over stdio).")
    add_options(parser, SETTINGS)
    parser.add_argument("--schemas", action="store_true", help="print the JSON schemas of arguments and results, and end")
    args = vars(parser.parse_args(argv))
    only_schemas = args.pop("schemas")
    settings = read_settings(args)
    require("mcp")
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)  # standard output belongs to the protocol
    server = tool_server(settings)
    if only_schemas:
        print(json.dumps(asyncio.run(schemas(server)), indent=2))  # noqa: T201
    else:
        server.run("stdio")


async def schemas(server: "FastMCP") -> dict[str, Any]:
    """Each tool with the schemas of its arguments and its result; and of each type that `results` of `ttm_ask` may hold."""
    from ttm.operations.registry import RENDERERS
    from ttm.operations.result_schema import result_schema

    tools = {
        tool.name: {"about": tool.description, "arguments": tool.inputSchema, "result": tool.outputSchema}
        for tool in await server.list_tools()
    }
    return {"tools": tools, "results": {kind.__name__: result_schema(kind) for kind in RENDERERS}}


def tool_server(settings: Settings) -> "FastMCP":
    """The server with all tools, not yet run."""
    from mcp.server.fastmcp import FastMCP

    server = FastMCP("Parley", instructions=ABOUT, log_level="WARNING")
    for call in tools(settings):
        server.add_tool(_in_words(call), structured_output=True)
    return server


def tools(settings: Settings) -> tuple[Callable[..., Any], ...]:
    """The calls of all parts. Raises a ParleyError if the data set or the knowledge base of the settings cannot be used."""
    from inspired.dialogue.interface.program_calls import KnowledgeCalls
    from inspired.dialogue.session import open_assistant
    from ttm.chat.catalogue import SubjectCatalogue
    from ttm.chat.interface.program_calls import ProgramCalls

    models, knowledge = ProgramCalls(SubjectCatalogue(settings)), KnowledgeCalls(open_assistant(settings))
    return (*models.calls, *knowledge.calls, faithfulness_explain)


def faithfulness_explain(
    question: str, passage: str, answers: list[str] | None = None, model: str = "SmolLM2-135M-Instruct", address: str = "",
    protocol: Literal["", "continuation", "chat"] = "", parts: int = 3, groups: int = 5,
) -> SampleJson:  # fmt: skip
    """Check which words of a passage a language model needed for its answer, and whether the model names them itself.

    Args:
        question: The question that the model is to answer from the passage.
        passage: The text that holds the answer.
        answers: The accepted answers; without any, what the model itself answers with the passage.
        model: The packaged model, or the name of one at the address; its key is read from OPENAI_API_KEY.
        address: The address of a server with the OpenAI interface; empty for the packaged model.
        protocol: How the model is asked: continuation (for small base models) or chat; empty for what suits it.
        parts: Into how many regions the passage is cut, from 2 to 6.
        groups: Into how many groups of words a region is cut, from 2 to 10.

    Returns:
        an object with answer, correct, stages, spans, keywords, score (f and its parts), controls and calls
    """
    import faithfulness

    answer = faithfulness.explain(
        question, passage, model=model, answers=answers or None, base_url=address or None, protocol=protocol or None,
        parts=parts, groups=groups,
    )  # fmt: skip
    return SampleJson.model_validate(answer.result)


def _in_words(call: Callable[..., Any]) -> Callable[..., Any]:
    """The call with its name and parameters; what is wrong is said in its sentence, without where in the code it was."""

    @functools.wraps(call)
    def tool(*args: Any, **options: Any) -> Any:
        try:
            return call(*args, **options)
        except ParleyError as error:
            raise ValueError(error.message) from None

    tool.__doc__ = inspect.getdoc(call)
    return tool
