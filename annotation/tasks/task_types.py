"""The kinds of task that a study can have, by the name that `study.toml` gives."""

from annotation.tasks.accuracy_check import AccuracyCheck
from annotation.tasks.custom import Custom
from annotation.tasks.evidence_highlighting import EvidenceHighlighting
from annotation.tasks.inspired_dialogue import InspiredDialogue
from annotation.tasks.similarity_rating import SimilarityRating
from annotation.tasks.task_type import TaskType
from annotation.tasks.user_study import UserStudy
from annotation.tasks.utterance_rewriting import UtteranceRewriting

TASK_TYPES: dict[str, TaskType] = {
    "accuracy_check": AccuracyCheck(),
    "custom": Custom(),
    "evidence_highlighting": EvidenceHighlighting(),
    "inspired_dialogue": InspiredDialogue(),
    "similarity_rating": SimilarityRating(),
    "user_study": UserStudy(),
    "utterance_rewriting": UtteranceRewriting(),
}
