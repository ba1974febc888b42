"""A question to be answered with one of two interfaces, statements to agree with, and comparisons at the end.

The time is taken on the server, from when the question is given until it is handed in.
"""

from annotation.ui.prose import prose
from annotation.ui.task_forms.fields import Form, draw_field

TIMED = "The time from now until you hand in is noted. Take as long as you need, without breaks."


def draw(form: Form) -> str:
    shown = "".join(f'<div class="study-given">{prose(part.text)}</div>' for part in form.shown)
    asked = "".join(draw_field(form, part) for part in form.asked)
    clock = f'<p class="study-quiet">{TIMED} <span data-elapsed role="timer"></span></p>'
    return f'{shown}{clock}<div class="study-likert">{asked}</div>'
