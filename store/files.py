"""Files: what people sent and what agents hand out. The bytes lie beside the store, once for each content."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Index, Text, bindparam, select, update
from sqlalchemy.orm import Mapped, mapped_column

from store.base import Row
from store.database import Transaction
from store.prepared import Prepared
from store.writing import is_new


class File(Row):
    """One file of a session.

    One that came in belongs to the input `input_id` and begins as `waiting`: `source` says where its bytes are. One
    that goes out belongs to the turn `turn_id`. `state`: waiting, stored, failed (`reason` says why, in words), gone
    (its time was over). `digest` is the SHA-256 of the bytes, "" until they are stored; `size` is in bytes (what the
    sender says until they are stored), `number` the place among the files of its input or turn. `stored_at` is when
    the bytes came, or when they were last given to somebody.
    """

    __tablename__ = "files"
    __table_args__ = (Index("ix_files_state", "state", "created_at"),)

    id: Mapped[str] = mapped_column(primary_key=True)
    session_id: Mapped[str] = mapped_column(index=True)
    name: Mapped[str]
    created_at: Mapped[datetime]
    number: Mapped[int] = mapped_column(default=0)
    input_id: Mapped[str | None] = mapped_column(default=None, index=True)
    turn_id: Mapped[str | None] = mapped_column(default=None, index=True)
    mime: Mapped[str] = mapped_column(default="")
    size: Mapped[int] = mapped_column(default=0)
    digest: Mapped[str] = mapped_column(default="", index=True)
    state: Mapped[str] = mapped_column(default="waiting")
    reason: Mapped[str] = mapped_column(Text, default="")
    source: Mapped[dict[str, Any]] = mapped_column(default=dict)
    attempts: Mapped[int] = mapped_column(default=0)
    stored_at: Mapped[datetime | None] = mapped_column(default=None)


async def add_files(tx: Transaction, files: Sequence[File]) -> None:
    """Store those that are new; the others were brought before."""
    for each in files:
        if is_new(each):
            await tx.add(each)


async def find_file(tx: Transaction, file_id: str) -> File | None:
    return await tx.get(File, file_id)


async def find_files(tx: Transaction, ids: Sequence[str]) -> list[File]:
    """The files of `ids` that exist, in this order."""
    if not ids:
        return []
    found = {row.id: row for row in await tx.orm.scalars(select(File).where(File.id.in_(ids)))}
    return [found[each] for each in dict.fromkeys(ids) if each in found]


async def stored_files(tx: Transaction, session_id: str) -> list[File]:
    """The session's files whose bytes are there, newest first."""
    mine = File.session_id == session_id, File.state == "stored"
    return list(await tx.orm.scalars(select(File).where(*mine).order_by(File.created_at.desc(), File.number.desc())))


_OF_TURN: Prepared[File] = Prepared(select(File).where(File.turn_id == bindparam("turn_id")).order_by(File.number))


async def files_of_turn(tx: Transaction, turn_id: str) -> list[File]:
    """What the turn hands out, in order."""
    return await tx.rows(_OF_TURN, turn_id=turn_id)


async def names_in(tx: Transaction, session_id: str) -> list[str]:
    """How the session's files are called."""
    return list(await tx.orm.scalars(select(File.name).where(File.session_id == session_id)))


async def hold_file(tx: Transaction, file_id: str) -> File:
    """The file as it is now; its session must be locked."""
    return await tx.orm.get_one(File, file_id, populate_existing=True)


_OF_INPUT: Prepared[File] = Prepared(select(File).where(File.input_id == bindparam("input_id")).order_by(File.number))


async def files_of_input(tx: Transaction, input_id: str) -> list[File]:
    """What came along with the input, in order."""
    return await tx.rows(_OF_INPUT, input_id=input_id)


async def waiting_files(tx: Transaction, input_id: str) -> list[File]:
    """The input's files that are still to be fetched, in order."""
    mine = File.input_id == input_id, File.state == "waiting"
    return list(await tx.orm.scalars(select(File).where(*mine).order_by(File.number)))


async def inputs_with_waiting(tx: Transaction) -> list[str]:
    """Inputs whose files are still to be fetched."""
    query = select(File.input_id).where(File.state == "waiting", File.input_id.is_not(None)).distinct()
    return [each for each in await tx.orm.scalars(query) if each is not None]


_WAITING: Prepared[str] = Prepared(
    select(File.id).where(File.input_id == bindparam("input_id"), File.state == "waiting").limit(1)
)


async def waits_for_files(tx: Transaction, input_id: str) -> bool:
    """Whether a file of the input is still to be fetched."""
    return await tx.row(_WAITING, input_id=input_id) is not None


async def count_attempt(tx: Transaction, file_id: str) -> None:
    await tx.orm.execute(update(File).where(File.id == file_id).values(attempts=File.attempts + 1))


async def store_file(tx: Transaction, file: File, *, digest: str, size: int, mime: str) -> None:
    """Its bytes have come."""
    file.state, file.stored_at = "stored", tx.now
    file.digest, file.size, file.mime = digest, size, mime


async def fail_file(tx: Transaction, file: File, reason: str) -> None:
    """Its bytes will not come; `reason` says why, in words."""
    file.state, file.reason = "failed", reason


async def withdraw_files(tx: Transaction, input_id: str) -> None:
    """Whoever sent them took them back."""
    await tx.orm.execute(update(File).where(File.input_id == input_id).values(state="gone"))


async def refer_to(tx: Transaction, files: Sequence[File]) -> None:
    """Somebody was given these files: their time begins anew."""
    for each in files:
        each.stored_at = tx.now


async def expire_files(tx: Transaction, before: datetime) -> int:
    """Let go of files that were stored, and given to somebody, before that time; how many."""
    old = update(File).where(File.state == "stored", File.stored_at < before).values(state="gone")
    query = old.returning(File.id).execution_options(synchronize_session=False)
    return len((await tx.orm.scalars(query)).all())


async def known_digests(tx: Transaction, digests: Sequence[str]) -> set[str]:
    """Those of these contents that a file still has."""
    query = select(File.digest).where(File.digest.in_(digests), File.state == "stored").distinct()
    return set(await tx.orm.scalars(query))
