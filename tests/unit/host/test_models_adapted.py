"""pydantic-ai's models behind our interface: what its errors mean."""

import pytest
from pydantic_ai.exceptions import ModelAPIError, ModelHTTPError, ModelQuotaExceededError, UserError

from host.messages import user_prompt
from host.model import Question, Visible
from host.models.faults import RefusedError, describe, is_transient
from tests.support.agent_run import PlayedModel

QUESTION = Question(instructions="", messages=[user_prompt("hi")], tools=[])


@pytest.mark.parametrize(
    ("fault", "transient"),
    [
        (ModelHTTPError(401, "m", body={"message": "no"}), False),
        (ModelHTTPError(529, "m", body={"message": "busy"}), True),
        (ModelQuotaExceededError("m", "no money"), False),
        (UserError("wrong use"), False),
        (ModelAPIError("m", "Connection error."), True),
    ],
)
async def test_which_of_its_errors_pass(fault: Exception, transient: bool) -> None:
    model = PlayedModel([fault]).model
    with pytest.raises(Exception, match=r".") as raised:
        await model.answer(QUESTION, Visible(lambda _, __: None))
    assert is_transient(raised.value) is transient


async def test_status_and_pause_survive() -> None:
    model = PlayedModel([ModelHTTPError(429, "m", body={"message": "slow down"}, retry_after=7.0)]).model
    with pytest.raises(RefusedError) as refused:
        await model.answer(QUESTION, Visible(lambda _, __: None))
    assert refused.value.retry_after == 7.0
    assert "429" in describe(refused.value, "")
