"""The form in which a study is made: what it begins with, its items and pictures, and what comes before the work."""

from annotation.studies.beginning.study_drafts import TEMPLATES, StudyDraft
from annotation.web.prose import button, fold, line_field, text_field
from annotation.words.catalogue import LANGUAGES, spoken, to_translate, translate
from backend.text.markup import escape_html

QUIZ_ABOUT = to_translate("Quiz: each question a paragraph; * begins the right option, - another one, {sign} the explanation")
ITEMS_ABOUT = to_translate("Drop a file with your items here, or choose one: CSV with a header line, JSONL or JSON")
PICTURES_ABOUT = to_translate("Pictures that items name (PNG, JPEG, GIF, WebP)")
ATTENTION_ABOUT = to_translate("Attention items, one a line, each with its answer under known")


def draw_form(name: str, draft: StudyDraft) -> str:
    """The form filled in with a draft; `name`: the template that it comes from."""
    drop = (
        f'<label class="study-drop">{translate(ITEMS_ABOUT)}'
        '<input type="file" accept=".csv,.jsonl,.json" data-items><span data-dropped></span></label>'
    )
    pictures = (
        f'<label class="study-drop">{translate(PICTURES_ABOUT)}'
        '<input type="file" accept="image/png,image/jpeg,image/gif,image/webp" multiple data-pictures>'
        f"<span data-dropped>{escape_html(', '.join(draft.pictures))}</span></label>"
    )
    fields = (
        _begin(name)
        + line_field(
            "name", translate("Name, as it stands in links"), more='pattern="[A-Za-z0-9][A-Za-z0-9_\\-]*" maxlength="60"'
        )
        + drop
        + text_field("items", translate("Items, one a line"), 4, required=True, value=draft.items)
        + fold(translate("Pictures"), pictures, opened=bool(draft.pictures))
        + text_field("instructions", translate("Instructions for workers (Markdown)"), 3, value=draft.instructions)
        + fold(translate("Consent, tutorial and quiz (may stay empty)"), _before_work(draft))
        + fold(translate("Trial and attention items (may stay empty)"), _of_known_quality(draft))
        + text_field(
            "toml", translate("The study: what is shown and asked, how many answers, in which language"), 14, True, draft.toml
        )
    )
    buttons = button(translate("Preview as a worker"), type="button", data_preview="")
    buttons += button(translate("Make the study"), "primary", type="submit")
    back = button(translate("Back"), type="button", data_door_again="")
    return (
        f'<form class="study-form study-making" data-make data-ending=".jsonl" data-template="{name}">{fields}'
        f'<div class="study-buttons">{buttons}{back}</div><p class="study-said" role="status"></p></form>'
    )


def _begin(name: str) -> str:
    templates = "".join(_option(each, translate(label), each == name) for each, label in TEMPLATES.items())
    languages = "".join(_option(code, label, code == spoken()) for code, label in LANGUAGES.items())
    return (
        f'<label class="study-label">{translate("Begin with")}<select name="template">{templates}</select></label>'
        f'<label class="study-label">{translate("Language of these pages and of the screens of the study")}'
        f'<select name="language">{languages}</select></label>'
    )


def _option(value: str, label: str, chosen: bool) -> str:
    return f'<option value="{value}" {"selected" if chosen else ""}>{escape_html(label)}</option>'


def _before_work(draft: StudyDraft) -> str:
    """What workers see before their first task."""
    return (
        text_field("consent", translate("What workers agree to (Markdown)"), 3, value=draft.consent)
        + text_field(
            "slides", translate("Slides of the tutorial (Markdown), with a line of --- between two"), 4, value=draft.slides
        )
        + text_field("quiz", translate(QUIZ_ABOUT, sign=">"), 5, value=draft.quiz)
    )


def _of_known_quality(draft: StudyDraft) -> str:
    about = translate(
        "Under the preview, the first item can be moved here; as an attention item with the answer that you give there."
    )
    return (
        f'<p class="study-quiet">{about}</p>'
        + text_field(
            "trial", translate("Items of the trial, the same for everybody, graded by you; one a line"), 3, value=draft.trial
        )
        + text_field("attention", translate(ATTENTION_ABOUT), 3, value=draft.attention)
    )
