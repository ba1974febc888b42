"""The door: sign in by name and access code, or with Hugging Face. A personal link (?study=...&worker=...) passes it by."""

from annotation.studies.shelf import OpenStudies
from annotation.web.asked import Reply
from annotation.web.making.pages import begin_here
from annotation.web.prose import button, line_field
from annotation.words.catalogue import in_browser, to_translate, translate
from backend.text.markup import escape_html

HUGGING_FACE = to_translate("Sign in with Hugging Face")
NO_STUDY = """<section class="study-card"><h3>No study yet</h3>
<p>A study is a folder with instructions, a tutorial, a quiz, and items. Begin with a copy of the example, then add a lead:</p>
<pre>python -m annotation init --study my-study
python -m annotation add-worker --study my-study --lead NAME</pre></section>"""


def door(shelf: OpenStudies, hugging_face: bool = False) -> Reply:
    """`hugging_face`: whether one can sign in with such an account here."""
    names = shelf.names()
    first = begin_here(shelf)
    if not names:
        return {"html": first or NO_STUDY, **in_browser()}
    studies = [(name, shelf.study(name).plan.file.title) for name in names]
    fields = _choice(studies) + line_field("name", translate("Name"), more='autocomplete="username"')
    fields += line_field("code", translate("Access code"), kind="password", more='autocomplete="current-password"')
    about = translate("Open the personal link that you were sent, or sign in here. Workers and leads use the same door.")
    other = (
        f'<p class="study-or">{translate("or")}</p>{button(translate(HUGGING_FACE), type="button", data_hugging_face="")}'
        if hugging_face
        else ""
    )
    head = f'<h3 tabindex="-1">{translate("Sign in to a study")}</h3><p>{about}</p>'
    submit = button(translate("Sign in"), "primary", type="submit")
    form = f'<form class="study-form" data-door>{fields}{submit}{other}<p class="study-said" role="alert"></p></form>'
    return {"html": f'{first}<section class="study-card study-door">{head}{form}</section>', **in_browser()}


def _choice(studies: list[tuple[str, str]]) -> str:
    if len(studies) == 1:
        name, title = studies[0]
        return f'<input type="hidden" name="study" value="{escape_html(name)}"><p><b dir="auto">{escape_html(title)}</b></p>'
    options = "".join(f'<option value="{escape_html(name)}">{escape_html(title)}</option>' for name, title in studies)
    chosen = '<option value="" selected disabled>' + translate("Choose") + "</option>"
    return f'<label class="study-label">{translate("Study")}<select name="study" required>{chosen}{options}</select></label>'
