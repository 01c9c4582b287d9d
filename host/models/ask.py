"""One question to a model: its answer, with the retries that stay invisible."""

from dataclasses import replace

import structlog

from host.errors import ModelUnavailable
from host.model import Emit, Model, Question, Visible
from host.models.faults import Patience, RefusedError, describe, new_error_id
from store.clock import Clock

log = structlog.get_logger(__name__)


async def ask(model: Model, question: Question, emit: Emit, clock: Clock) -> bytes:
    """The complete answer. After a transient fault it starts over, at offset 0. Raises ModelUnavailable."""
    patience = Patience(clock)
    while True:
        try:
            return await model.answer(question, Visible(emit))
        except Exception as fault:
            cause = describe(fault, model.key)
            if question.pictures and isinstance(fault, RefusedError) and not fault.transient:
                log.warning("model refuses to be shown pictures", model=model.name, cause=cause)
                question = replace(question, pictures={})
                continue
            if not await patience.outlasts(fault):
                raise _given_up(cause) from None
            log.warning("model asked again after a fault", model=model.name, cause=cause)


def _given_up(cause: str) -> ModelUnavailable:
    error_id = new_error_id()
    log.error("model failed for good", error_id=error_id, cause=cause)
    return ModelUnavailable(error_id, cause)
