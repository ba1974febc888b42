"""What is allowed in a study and still likely to be regretted, told when its folder is read."""

from annotation.studies.plan import StudyPlan

DRAWS = 3  # of the quiz, that its bank should hold


def notes_on(plan: StudyPlan) -> list[str]:
    """One sentence each."""
    file, notes = plan.file, []
    if file.quiz and len(plan.questions) < DRAWS * file.quiz.draw:
        notes.append(
            f"the quiz has {len(plan.questions)} questions and draws {file.quiz.draw}; with fewer than "
            f"{DRAWS * file.quiz.draw} an attempt that failed shows what the next one asks."
        )
    if file.quiz and file.most_quiz_attempts is None:
        notes.append("quiz.most_attempts is not set, so who guesses long enough passes.")
    if file.attention is None and not file.rule:
        notes.append("there are neither attention items nor a [[rule]]; only a lead's reading will tell careless work.")
    return notes
