"""The tables of studies, for queries; `backend.storage.migrations` makes them.

What happened is in `study_events`, which is only ever added to. The other tables say how things stand after it.
"""

from sqlalchemy import JSON, Boolean, Column, Float, Index, Integer, String, Table, Text, UniqueConstraint, false

from backend.storage.database import UtcDateTime, metadata

# `plan` is the study as it was read from its folder, with all texts, so that a database is complete without the folder.
studies = Table(
    "studies",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", String(200), nullable=False, unique=True),
    Column("plan", JSON, nullable=False),
    Column("created", UtcDateTime, nullable=False),
)

# `released`: how many tasks the batches so far hold together; `size`: how many the last one holds; `place`: the order in
# which workers began the tasks, which balances what differs between them.
study_workers = Table(
    "study_workers",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("study", Integer, nullable=False),
    Column("name", String(200), nullable=False),
    Column("pseudonym", String(20), nullable=False),
    Column("role", String(10), nullable=False),
    Column("code", String(200), nullable=False),
    Column("link", String(64), nullable=False, unique=True),
    Column("phase", String(20), nullable=False),
    Column("place", Integer, nullable=True),
    Column("batch", Integer, nullable=False),
    Column("size", Integer, nullable=False),
    Column("released", Integer, nullable=False),
    Column("created", UtcDateTime, nullable=False),
    UniqueConstraint("study", "name"),
    UniqueConstraint("study", "pseudonym"),
    UniqueConstraint("study", "place"),
)

# The Hugging Face account that somebody signs in with. `username` is in lower case; `subject`, which stays when an account is
# renamed, is known from the first sign-in on. `joined`: whether they came by themselves.
study_accounts = Table(
    "study_accounts",
    metadata,
    Column("worker", Integer, primary_key=True, autoincrement=False),
    Column("study", Integer, nullable=False),
    Column("username", String(100), nullable=False),
    Column("subject", String(200), nullable=True),
    Column("joined", Boolean, nullable=False),
    UniqueConstraint("study", "username"),
    UniqueConstraint("study", "subject"),
)

# Who is signed in: `token` and `link` are hashes, the second that of the personal link at the time, so that new credentials
# end every session.
study_sessions = Table(
    "study_sessions",
    metadata,
    Column("token", String(64), primary_key=True),
    Column("study", Integer, nullable=False),
    Column("worker", Integer, nullable=False),
    Column("link", String(64), nullable=False),
    Column("created", UtcDateTime, nullable=False),
    Index("ix_study_sessions_workers", "worker"),
)

# `taken`: how many slots are lent or answered; `wanted`: how many there are; `withdrawn`: not given out any more, by a lead;
# `open`: whether it is given out, which needs a free slot.
study_items = Table(
    "study_items",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("study", Integer, nullable=False),
    Column("key", String(200), nullable=False),
    Column("number", Integer, nullable=False),
    Column("kind", String(10), nullable=False),
    Column("content", JSON, nullable=False),
    Column("known", JSON(none_as_null=True), nullable=True),
    Column("wanted", Integer, nullable=False),
    Column("taken", Integer, nullable=False),
    Column("open", Boolean, nullable=False),
    Column("withdrawn", Boolean, nullable=False, server_default=false()),
    UniqueConstraint("study", "key"),
    UniqueConstraint("study", "kind", "number"),
    Index("ix_study_items_queue", "study", "kind", "open", "number"),
)

# An item and a worker to whom it was lent. That a slot of an item is given once keeps items from being answered too often,
# whatever else goes wrong. `answer` is the last one submitted, `final` what a lead put in its place. `batch`: in which it was
# handed in; `active`: seconds of work up to `touched` (`leases.activity`); `signals` as `quality.answer_signals` has them.
study_assignments = Table(
    "study_assignments",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("study", Integer, nullable=False),
    Column("item", Integer, nullable=False),
    Column("worker", Integer, nullable=False),
    Column("phase", String(20), nullable=False),
    Column("state", String(10), nullable=False),
    Column("slot", Integer, nullable=True),
    Column("shown", JSON, nullable=False),
    Column("leased", UtcDateTime, nullable=False),
    Column("expires", UtcDateTime, nullable=False),
    Column("submitted", UtcDateTime, nullable=True),
    Column("seconds", Float, nullable=True),
    Column("number", Integer, nullable=True),
    Column("answer", JSON(none_as_null=True), nullable=True),
    Column("final", JSON(none_as_null=True), nullable=True),
    Column("sampled", Boolean, nullable=False),
    Column("passed", Boolean, nullable=True),
    Column("verdict", String(10), nullable=False),
    Column("feedback", Text, nullable=False),
    Column("batch", Integer, nullable=True),
    Column("active", Float, nullable=True),
    Column("touched", UtcDateTime, nullable=True),
    Column("signals", JSON(none_as_null=True), nullable=True),
    UniqueConstraint("worker", "item"),
    UniqueConstraint("item", "slot"),
    Index("ix_study_assignments_states", "study", "state", "expires"),
    Index("ix_study_assignments_workers", "worker", "phase", "state"),
    Index("ix_study_assignments_reviews", "study", "sampled", "verdict"),
)

# `once` names what may happen only once to a worker: a slide seen, a submission by the id that its sender gave it.
study_events = Table(
    "study_events",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("study", Integer, nullable=False),
    Column("actor", Integer, nullable=False),
    Column("worker", Integer, nullable=False),
    Column("item", Integer, nullable=True),
    Column("kind", String(20), nullable=False),
    Column("once", String(300), nullable=True),
    Column("content", JSON, nullable=False),
    Column("created", UtcDateTime, nullable=False),
    UniqueConstraint("worker", "once"),
    Index("ix_study_events_items", "item", "worker"),
    Index("ix_study_events_kinds", "study", "kind"),
    Index("ix_study_events_workers", "worker", "kind"),
)

# Pictures that items show; `data` is a data: address.
study_pictures = Table(
    "study_pictures",
    metadata,
    Column("study", Integer, primary_key=True, autoincrement=False),
    Column("digest", String(64), primary_key=True),
    Column("data", Text, nullable=False),
)

study_drafts = Table(
    "study_drafts",
    metadata,
    Column("worker", Integer, primary_key=True, autoincrement=False),
    Column("item", Integer, primary_key=True, autoincrement=False),
    Column("field", String(200), primary_key=True),
    Column("version", Integer, nullable=False),
    Column("value", JSON, nullable=False),
    Column("updated", UtcDateTime, nullable=False),
)

study_quizzes = Table(
    "study_quizzes",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("worker", Integer, nullable=False),
    Column("number", Integer, nullable=False),
    Column("drawn", JSON, nullable=False),
    Column("started", UtcDateTime, nullable=False),
    Column("submitted", UtcDateTime, nullable=True),
    Column("answers", JSON(none_as_null=True), nullable=True),
    Column("score", Integer, nullable=True),
    Column("passed", Boolean, nullable=True),
    UniqueConstraint("worker", "number"),
)

# `hundredths`: the amount in hundredths of the currency of the study.
study_bonuses = Table(
    "study_bonuses",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("study", Integer, nullable=False),
    Column("worker", Integer, nullable=False),
    Column("reason", String(100), nullable=False),
    Column("hundredths", Integer, nullable=False),
    Column("created", UtcDateTime, nullable=False),
    Column("paid", UtcDateTime, nullable=True),
    UniqueConstraint("worker", "reason"),
    Index("ix_study_bonuses_studies", "study"),
)
