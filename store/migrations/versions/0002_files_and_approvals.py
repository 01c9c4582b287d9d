"""Files and approvals."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "approvals",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("session_id", sa.String(), nullable=False),
        sa.Column("room_id", sa.String(), nullable=False),
        sa.Column("turn_id", sa.String(), nullable=False),
        sa.Column("call_id", sa.String(), nullable=False),
        sa.Column("tool", sa.String(), nullable=False),
        sa.Column("asked_at", sa.BigInteger(), nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=False),
        sa.Column("arguments", sa.Text(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("speaker", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("origin", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("event_id", sa.String(), server_default="", nullable=False),
        sa.Column("decided_by", sa.String(), nullable=False),
        sa.Column("decided_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_approvals")),
        sa.UniqueConstraint("turn_id", "call_id", name=op.f("uq_approvals_turn_id_call_id")),
    )
    with op.batch_alter_table("approvals", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_approvals_due_at"), ["due_at"], unique=False)
        batch_op.create_index("ix_approvals_room", ["room_id", "state"], unique=False)
        batch_op.create_index("ix_approvals_session", ["session_id", "state"], unique=False)

    op.create_table(
        "files",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("session_id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("input_id", sa.String(), nullable=True),
        sa.Column("turn_id", sa.String(), nullable=True),
        sa.Column("mime", sa.String(), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("source", sa.JSON(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("stored_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_files")),
    )
    with op.batch_alter_table("files", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_files_digest"), ["digest"], unique=False)
        batch_op.create_index(batch_op.f("ix_files_input_id"), ["input_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_files_session_id"), ["session_id"], unique=False)
        batch_op.create_index("ix_files_state", ["state", "created_at"], unique=False)
        batch_op.create_index(batch_op.f("ix_files_turn_id"), ["turn_id"], unique=False)

    op.create_table(
        "grants",
        sa.Column("session_id", sa.String(), nullable=False),
        sa.Column("tool", sa.String(), nullable=False),
        sa.Column("granted_by", sa.String(), nullable=False),
        sa.Column("granted_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("session_id", "tool", name=op.f("pk_grants")),
    )
    with op.batch_alter_table("turns", schema=None) as batch_op:
        batch_op.add_column(sa.Column("waiting_for", sa.String(), server_default="", nullable=False))
