"""The form in which a study is made: what it begins with, its items and pictures, and what comes before the work."""

from markupsafe import Markup

from annotation.studies.beginning.study_drafts import TEMPLATES, StudyDraft
from annotation.web.prose import choice, fold, joined, line_field, page_macros, quiet, text_field
from annotation.words.catalogue import LANGUAGES, spoken, to_translate, translate

HTML = page_macros(__file__)
QUIZ_ABOUT = to_translate("Quiz: each question a paragraph; * begins the right option, - another one, {sign} the explanation")
ITEMS_ABOUT = to_translate("Drop a file with your items here, or choose one: CSV with a header line, JSONL or JSON")
PICTURES_ABOUT = to_translate("Pictures that items name (PNG, JPEG, GIF, WebP)")
ATTENTION_ABOUT = to_translate("Attention items, one a line, each with its answer under known")
TABLES, PICTURES = ".csv,.jsonl,.json", "image/png,image/jpeg,image/gif,image/webp"  # what may be dropped


def draw_form(name: str, draft: StudyDraft) -> Markup:
    """The form filled in with a draft; `name`: the template that it comes from."""
    about = translate("The study: what is shown and asked, how many answers, in which language")
    pictures = HTML("drop", translate(PICTURES_ABOUT), PICTURES, "data-pictures", ", ".join(draft.pictures), True)
    fields = [
        choice("template", translate("Begin with"), {each: translate(label) for each, label in TEMPLATES.items()}, name),
        choice("language", translate("Language of these pages and of the screens of the study"), LANGUAGES, spoken()),
        line_field("name", translate("Name, as it stands in links"), pattern=r"[A-Za-z0-9][A-Za-z0-9_\-]*", maxlength="60"),
        HTML("drop", translate(ITEMS_ABOUT), TABLES, "data-items", "", False),
        text_field("items", translate("Items, one a line"), 4, required=True, value=draft.items),
        fold(translate("Pictures"), pictures, opened=bool(draft.pictures)),
        text_field("instructions", translate("Instructions for workers (Markdown)"), 3, value=draft.instructions),
        fold(translate("Consent, tutorial and quiz (may stay empty)"), _before_work(draft)),
        fold(translate("Trial and attention items (may stay empty)"), _of_known_quality(draft)),
        text_field("toml", about, 14, True, draft.toml),
    ]
    return HTML("form", name, joined(fields))


def _before_work(draft: StudyDraft) -> Markup:
    """What workers see before their first task."""
    about = translate("Slides of the tutorial (Markdown), with a line of --- between two")
    return (
        text_field("consent", translate("What workers agree to (Markdown)"), 3, value=draft.consent)
        + text_field("slides", about, 4, value=draft.slides)
        + text_field("quiz", translate(QUIZ_ABOUT, sign=">"), 5, value=draft.quiz)
    )


def _of_known_quality(draft: StudyDraft) -> Markup:
    about = translate(
        "Under the preview, the first item can be moved here; as an attention item with the answer that you give there."
    )
    trial = translate("Items of the trial, the same for everybody, graded by you; one a line")
    return (
        quiet(about)
        + text_field("trial", trial, 3, value=draft.trial)
        + text_field("attention", translate(ATTENTION_ABOUT), 3, value=draft.attention)
    )
