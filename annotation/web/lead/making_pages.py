"""The pages before a study: trying the example, and making a study of one's own from a template."""

from pathlib import Path

from annotation.studies.beginning.study_drafts import TEMPLATES, StudyDraft, make, preview, template
from annotation.studies.callers import Role
from annotation.studies.people.sessions import begin_session
from annotation.studies.people.workers import enrol, sign_in_by_link
from annotation.studies.plan import StudyPlan
from annotation.studies.refusals import CallRefusedError, Reason
from annotation.studies.shelf import OpenStudies
from annotation.web.asked import Asked, Reply, text
from annotation.web.forms import form_of
from annotation.web.forms.fields import ItemForm
from annotation.web.prose import button, fold, line_field, prose, text_field
from annotation.words.catalogue import speaking
from backend.text.markup import escape_html

FIRST = "side_by_side"
QUIZ_ABOUT = "Quiz: each question a paragraph; * begins the right option, - another one, > the explanation"
NOT_HERE = "Studies are made in the browser only on one's own computer; here, the person who runs the server makes them."


def begin_here(shelf: OpenStudies) -> str:
    """What stands above the door where the example can be tried, or studies made."""
    if shelf.sandbox is None:
        return ""
    buttons = button("Try the example as a worker", "primary", type="button", data_try="worker")
    buttons += button("Look at it as a lead", type="button", data_try="lead")
    if shelf.home is not None:
        buttons += button("Make a study of your own", type="button", data_making="")
    about = "<p>The example is a sandbox of your own: nothing of it is kept, and nobody else sees it.</p>"
    return f'<section class="study-card study-begin">{about}<div class="study-buttons">{buttons}</div></section>'


def try_it(shelf: OpenStudies) -> Reply:
    if shelf.sandbox is None:
        raise CallRefusedError(Reason.ROLE, "There is no example to try here.")
    tried = shelf.sandbox.begin()
    return {"worker": tried.worker, "lead": tried.lead}


def making_page(shelf: OpenStudies, asked: Asked) -> Reply:
    """The form, filled in with a template."""
    _need_home(shelf)
    name = text(asked, "template", FIRST)
    draft = template(name)
    options = "".join(
        f'<option value="{each}" {"selected" if each == name else ""}>{escape_html(label)}</option>'
        for each, label in TEMPLATES.items()
    )
    chosen = f'<label class="study-label">Begin with<select name="template">{options}</select></label>'
    drop = (
        '<label class="study-drop">Drop a file with your items here, or choose one: CSV with a header line, JSONL or JSON'
        '<input type="file" accept=".csv,.jsonl,.json"><span data-dropped></span></label>'
    )
    fields = (
        chosen
        + line_field("name", "Name, as it stands in links", more='pattern="[A-Za-z0-9][A-Za-z0-9_-]*" maxlength="60"')
        + drop
        + text_field("items", "Items, one a line", 4, required=True, value=draft.items)
        + text_field("instructions", "Instructions for workers (Markdown)", 3, value=draft.instructions)
        + fold("Consent, tutorial and quiz (may stay empty)", _before_work(draft))
        + text_field("toml", "The study: what is shown and asked, how many answers, in which language", 14, True, draft.toml)
    )
    buttons = button("Preview as a worker", type="button", data_preview="") + button("Make the study", "primary", type="submit")
    back = button("Back", type="button", data_door_again="")
    status = '<p class="study-said" role="status"></p>'
    form = (
        f'<form class="study-form study-making" data-make data-ending=".jsonl">{fields}'
        f'<div class="study-buttons">{buttons}{back}</div>{status}</form>'
    )
    shown = '<aside class="study-side study-preview"><h4>Preview</h4><div data-shown></div></aside>'
    return {
        "html": f'<div class="study-desk"><section class="study-card"><h3 tabindex="-1">Make a study</h3>{form}</section>'
        f"{shown}</div>"
    }


def _before_work(draft: StudyDraft) -> str:
    """What workers see before their first task."""
    return (
        text_field("consent", "What workers agree to (Markdown)", 3, value=draft.consent)
        + text_field("slides", "Slides of the tutorial (Markdown), with a line of --- between two", 4, value=draft.slides)
        + text_field("quiz", QUIZ_ABOUT, 5, value=draft.quiz)
    )


def preview_page(shelf: OpenStudies, asked: Asked) -> Reply:
    """The first item as a worker will see it."""
    _need_home(shelf)
    plan, parts, count = preview(_draft(asked))
    with speaking(plan.file.language):
        drawn = form_of(plan.file.task)(ItemForm(parts, prefix="preview"))
    head = f'<p class="study-quiet">{escape_html(plan.file.title)}: the first of {count:,} items.</p>'
    beside = prose(plan.instructions) if plan.instructions else ""
    return {
        "html": f'{head}<div class="study-final">{drawn}</div>{beside}{_preview_before(plan)}',
        "message": f"{count:,} items are right.",
    }


def _preview_before(plan: StudyPlan) -> str:
    consent = fold("Consent", prose(plan.consent)) if plan.consent else ""
    slides = fold(f"Tutorial: {len(plan.slides)} slides", "<hr>".join(map(prose, plan.slides))) if plan.slides else ""
    asked = "".join(
        f"<li>{escape_html(each.question)}<ul>"
        f"{''.join(f'<li>{escape_html(option)}{_right(option == each.correct)}</li>' for option in each.options)}</ul></li>"
        for each in plan.questions
    )
    return consent + slides + (fold(f"Quiz: {len(plan.questions)} questions", f"<ol>{asked}</ol>") if asked else "")


def _right(is_right: bool) -> str:
    return " <b>(right)</b>" if is_right else ""


def make_it(shelf: OpenStudies, asked: Asked) -> Reply:
    """Make the study, with a lead who is signed in at once; their code and link are shown once."""
    home = _need_home(shelf)
    study = make(shelf.database, home, text(asked, "name").strip(), _draft(asked), shelf.clock)
    lead = enrol(study, "Lead", Role.LEAD)
    token = begin_session(study, sign_in_by_link(study, lead.link, "here"))
    made = {"study": study.name, "name": lead.name, "role": lead.role.value, "code": lead.code, "link": lead.link}
    return {"token": token, "folder": str(home / study.name), **made}


def _draft(asked: Asked) -> StudyDraft:
    return StudyDraft(
        text(asked, "toml"), text(asked, "instructions"), text(asked, "items"), text(asked, "ending", ".jsonl"),
        text(asked, "consent"), text(asked, "slides"), text(asked, "quiz"),
    )  # fmt: skip


def _need_home(shelf: OpenStudies) -> Path:
    if shelf.home is None:
        raise CallRefusedError(Reason.ROLE, NOT_HERE)
    return shelf.home
