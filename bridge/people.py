"""The person behind a sender: found, or made when somebody speaks for the first time."""

from collections.abc import Callable

from channels.types import Sender
from store.base import Speaker
from store.database import Transaction
from store.people import Person, add_person, rename_person


async def meet(
    tx: Transaction, found: Person | None, *, channel_id: str, sender: Sender, new_id: Callable[[], str]
) -> Person:
    """The person of this sender, under the name that the platform tells by now; `found` is the stored one."""
    if found is None:
        fresh = Person(
            id=new_id(), app_id=channel_id, external_id=sender.id, name=sender.name, state="known", created_at=tx.now
        )
        return await add_person(tx, fresh)
    if sender.name and sender.name != found.name:
        await rename_person(tx, found, sender.name)
    return found


def speaker_of(person: Person) -> Speaker:
    """The person as the one whose words an input carries."""
    return Speaker(id=person.id, name=person.name or person.external_id, role="user")
