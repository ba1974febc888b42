"""What every tab uses: errors in words, text made safe to show, headings, and the look of the whole app.

This is the one place where a ParleyError becomes a message in the browser.
"""

import functools
import hashlib
import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Literal, ParamSpec, TypeVar, cast, get_origin, get_type_hints

import gradio as gr
from gradio.context import LocalContext
from gradio.route_utils import CustomCORSMiddleware
from pydantic import TypeAdapter, ValidationError

from backend.errors import ExecutionError, ParleyError, SettingsError, defect_message
from backend.network.connections import bound_connections
from backend.network.request_limits import believe_proxies
from backend.network.shares.lean_calls import look_less
from backend.network.shares.spending import SPENDING
from backend.program.settings import Settings
from backend.text.html_pieces import heading_html, script
from backend.text.markup import escape_html

Arguments = ParamSpec("Arguments")
Returned = TypeVar("Returned")

HERE = Path(__file__).parent
CSS_FILE = HERE / "app.css"
FONTS = ("system-ui", "-apple-system", "Segoe UI", "Roboto", "Noto Sans", "sans-serif")
# Takes a file as {name, type, content} and has the browser save it: nothing is left behind on the server.
SAVE_FILE = """(file) => {
  if (!file) return;
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([file.content], {type: file.type}));
  link.download = file.name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}"""
MONOSPACED = ("ui-monospace", "SFMono-Regular", "Menlo", "Consolas", "monospace")


def session_of_call() -> str:
    """Name the session whose page or program calls the present handler, by a digest; empty outside of a call.

    Who knows a session's own name can act as it, so that name is neither stored nor shown.
    """
    request = LocalContext.request.get(None)
    session = getattr(request, "session_hash", None)
    return hashlib.sha256(session.encode("utf-8", "replace")).hexdigest() if session else ""


def address_of_call() -> str:
    """Return the address that the present handler is called from; empty outside of a call."""
    client = getattr(LocalContext.request.get(None), "client", None)
    return str(getattr(client, "host", "") or "")


def errors_in_words(handler: Callable[Arguments, Returned]) -> Callable[Arguments, Returned]:
    """Wrap a listener's function or generator so that a ParleyError is shown as its message, without a stack trace.

    Any other exception is a defect: it is logged under a reference number, and the person sees that number only.
    Put this decorator nearest to the function, under any other.
    """
    if inspect.isgeneratorfunction(handler):

        @functools.wraps(handler)
        def generator(*args: Arguments.args, **options: Arguments.kwargs) -> Iterator[Any]:
            with _in_words(handler.__qualname__):
                yield from _metered(cast(Iterator[Any], handler(*args, **options)))

        return cast(Callable[Arguments, Returned], generator)

    @functools.wraps(handler)
    def function(*args: Arguments.args, **options: Arguments.kwargs) -> Returned:
        with _in_words(handler.__qualname__), SPENDING.metered(address_of_call()):
            return handler(*args, **options)

    return function


def errors_in_plain_words(handler: Callable[Arguments, Returned]) -> Callable[Arguments, Returned]:
    """As `errors_in_words`, for a function that only programs call: no page shows the message, and nothing in it is escaped."""

    @functools.wraps(handler)
    def function(*args: Arguments.args, **options: Arguments.kwargs) -> Returned:
        with _in_words(handler.__qualname__, page=False), SPENDING.metered(address_of_call()):
            return handler(*args, **options)

    return function


def json_endpoint(call: Callable[..., Any]) -> Callable[..., Any]:
    """An endpoint for programs: `call` with its name, parameters and description, its pydantic result as a JSON object.

    An error is a sentence of plain text: no page shows what these endpoints return.
    """

    signature, kinds = inspect.signature(call), get_type_hints(call)
    # Of a text that is one of several, the call itself knows other spellings.
    plain = {name: str if get_origin(kind) is Literal else kind for name, kind in kinds.items()}
    readers = {name: TypeAdapter(kind) for name, kind in plain.items() if name in signature.parameters}

    @functools.wraps(call)
    def endpoint(*args: Any, **options: Any) -> Any:
        with _in_words(call.__qualname__, page=False), SPENDING.metered(address_of_call()):
            values = signature.bind(*args, **options).arguments
            result = call(**{name: _read_value(name, value, signature, readers) for name, value in values.items()})
            return result.model_dump(mode="json") if hasattr(result, "model_dump") else result

    # What gradio reads in place of the signature of the call itself, where the result may be a class of ours.
    endpoint.__signature__ = inspect.signature(call).replace(return_annotation=dict[str, Any])  # type: ignore[attr-defined]
    return endpoint


def _read_value(name: str, value: Any, signature: inspect.Signature, readers: Mapping[str, TypeAdapter[Any]]) -> Any:
    """A value that a program sent for a parameter. Raises ExecutionError if it is of another kind."""
    default = signature.parameters[name].default
    if value is None and default is not inspect.Parameter.empty:
        return default
    try:
        return readers[name].validate_python(value) if name in readers else value
    except ValidationError as error:
        raise ExecutionError(f"{name} is of another kind: {error.errors()[0]['msg']}.") from error


def _metered(steps: Iterator[Any]) -> Iterator[Any]:
    """The same steps, each counted as computed for who calls; they may run in different threads."""
    with closing(steps):  # type: ignore[type-var]  # of a generator
        while True:
            with SPENDING.metered(address_of_call()):
                try:
                    step = next(steps)
                except StopIteration:
                    return
            yield step


@contextmanager
def _in_words(name: str, page: bool = True) -> Iterator[None]:
    try:
        yield
    except gr.Error:
        raise
    except Exception as error:
        message = message_of(error, name)
        # A page shows the message of a gr.Error as HTML.
        raise gr.Error(escape_html(message) if page else message, title="That did not work", print_exception=False) from error


def message_of(error: Exception, name: str) -> str:
    """What a person reads of an error, as plain text; of a defect, which is logged, only its reference number.

    `name` tells the log where it was caught.
    """
    if isinstance(error, ParleyError):
        return error.shown
    return defect_message(error, name)


def page_number(value: str) -> int:
    """Read a number that a part of the page sends as text. Raises ExecutionError for anything else."""
    if not value.isascii() or not value.removeprefix("-").isdigit() or len(value) > 18:
        raise ExecutionError(f"A number is needed here, not {value:.40}.")
    return int(value)


def number_on_page(css_class: str) -> int:
    """How many parts with this class the page has already; a part that may stand there twice tells itself apart by it."""
    blocks = gr.context.Context.root_block
    assert blocks is not None, "a part is built inside gr.Blocks"
    return sum(css_class in (getattr(block, "elem_classes", None) or ()) for block in blocks.blocks.values())


def heading(title: str, about: str = "", level: int = 2) -> gr.HTML:
    """A heading, and under it a sentence or two for newcomers; both are plain text."""
    return gr.HTML(heading_html(title, about, level), elem_classes="heading", padding=False, container=False)


def read_by_own_pages(blocks: gr.Blocks) -> None:
    """Let no page of another site read what a launched app answers.

    Gradio lets any site do so, with the cookies and the password that a browser keeps for this server.
    """
    app = blocks.app
    app.user_middleware = [each for each in app.user_middleware if cast(Any, each.cls) is not CustomCORSMiddleware]
    app.middleware_stack = None  # made again at the next request


def listen(blocks: gr.Blocks, settings: Settings, **options: Any) -> None:
    """Launch an app where the settings say, for visitors of whom nothing is known. Raises SettingsError if the port is taken.

    It goes on in threads of its own: what is still to be set comes next, and then `blocks.block_thread()`.
    """
    believe_proxies(settings.trusted_proxies)
    bound_connections(settings.trusted_proxies)
    try:
        blocks.launch(
            server_name=settings.host,
            server_port=settings.port or None,
            root_path=settings.root_path or None,
            show_error=False,
            prevent_thread_lock=True,
            quiet=True,
            **options,
        )
    except OSError as error:
        raise SettingsError(f"Cannot listen on {settings.host}, port {settings.port}: {error}") from error
    read_by_own_pages(blocks)


class OwnApp(gr.Blocks):
    """Launch with the looks of Parley and send nothing to anybody, where `launch` is not called with other options.

    Gradio's own check of its page is left out, as where Parley starts: it gives up after 3 s, which a busy machine may take.
    """

    def launch(self, *args: Any, **options: Any) -> Any:
        usual = looks() | {"run_history": False, "enable_monitoring": False, "ssr_mode": False, "_frontend": False}
        started = super().launch(*args, **usual | options)
        look_less(self._queue)
        return started


def looks() -> dict[str, Any]:
    """Options for `launch`: theme, styles, and the scripts that mend what every page of gradio has."""
    scripts = script(HERE / "page_messages.js", HERE / "page_parts.js")
    return {"theme": theme(), "css_paths": CSS_FILE, "head": scripts}


def watch_script() -> str:
    """JavaScript for a part whose page has to know that the server was started again; it runs once in each page."""
    return (HERE / "page_watch.js").read_text("utf-8")


def theme() -> gr.themes.Base:
    """Quiet greys, one blue-green accent, fonts that every computer has; the dark variant follows the system."""
    return gr.themes.Base(
        primary_hue="teal",
        secondary_hue="teal",
        neutral_hue="slate",
        radius_size="md",
        font=FONTS,
        font_mono=MONOSPACED,
    ).set(
        body_background_fill="*neutral_50",
        body_background_fill_dark="*neutral_950",
        body_text_color_subdued="*neutral_600",
        body_text_color_subdued_dark="*neutral_400",
        block_background_fill="white",
        block_background_fill_dark="*neutral_900",
        block_border_width="1px",
        block_border_width_dark="1px",
        block_shadow="none",
        block_radius="*radius_lg",
        block_label_text_color="*neutral_600",
        block_title_text_color="*neutral_700",
        block_info_text_color="*neutral_600",
        input_background_fill="white",
        input_background_fill_dark="*neutral_950",
        input_border_width="1px",
        input_border_width_dark="1px",
        input_border_color="*neutral_400",
        input_border_color_dark="*neutral_600",
        input_border_color_focus="*primary_600",
        input_border_color_focus_dark="*primary_400",
        input_placeholder_color="*neutral_500",
        input_placeholder_color_dark="*neutral_400",
        checkbox_background_color_selected="*primary_700",
        checkbox_background_color_selected_dark="*primary_600",
        checkbox_border_color="*neutral_500",
        checkbox_border_color_selected="*primary_700",
        checkbox_label_background_fill="*neutral_100",
        slider_color="*primary_700",
        slider_color_dark="*primary_500",
        color_accent="*primary_700",
        border_color_accent="*primary_600",
        block_title_text_weight="600",
        block_label_text_weight="600",
        button_primary_background_fill="*primary_700",
        button_primary_background_fill_hover="*primary_800",
        button_primary_background_fill_dark="*primary_700",
        button_primary_background_fill_hover_dark="*primary_800",
        button_primary_text_color="white",
        button_large_text_weight="550",
        button_medium_text_weight="550",
        button_secondary_background_fill="white",
        button_secondary_background_fill_hover="*neutral_100",
        button_secondary_background_fill_dark="*neutral_800",
        button_secondary_background_fill_hover_dark="*neutral_700",
        button_secondary_border_color="*neutral_300",
        button_secondary_border_color_dark="*neutral_600",
        button_cancel_background_fill="white",
        button_cancel_background_fill_hover="#fef2f2",
        button_cancel_background_fill_dark="*neutral_800",
        button_cancel_background_fill_hover_dark="#450a0a",
        button_cancel_border_color="#fca5a5",
        button_cancel_border_color_dark="#b91c1c",
        button_cancel_text_color="#b91c1c",
        button_cancel_text_color_dark="#fca5a5",
        button_border_width="1px",
        button_border_width_dark="1px",
        link_text_color="*primary_700",
        link_text_color_dark="*primary_300",
        link_text_color_hover="*primary_800",
        link_text_color_hover_dark="*primary_200",
    )
