"""Faults that somebody could write in good faith: for each of them there is a test that fails."""

from pathlib import Path

import pytest

from tests.support.mutant import Mutation, run_guard

HERE = "tests/unit/host/cooperation"
CONFIGURATION = "host/cooperation/configuration.py"
TREES = "store/trees.py"
ORDER = "query.order_by(Session.updated_at.desc(), Session.id.desc()).offset(offset)"

MUTATIONS = {
    "an empty frozen configuration reads later edits": Mutation(
        file=CONFIGURATION,
        right="cls.of(agent) if session.frozen is None else cls.read(session.frozen)",
        wrong="cls.read(session.frozen) if session.frozen else cls.of(agent)",
        guard=f"{HERE}/test_children.py::test_an_empty_configuration_is_stored_empty_and_never_read_again[sqlite]",
    ),
    "a frozen default follows the program's": Mutation(
        file="host/cooperation/creating.py",
        right="fresh.model_id = config.effective(deps.default_model).model",
        wrong="fresh.model_id = config.model or None",
        guard=f"{HERE}/test_frozen.py::"
        "test_another_default_after_a_restart_is_no_other_model_for_what_was_made_before[sqlite]",
    ),
    "the directory begins with the oldest": Mutation(
        file=TREES,
        right=ORDER,
        wrong=ORDER.replace("updated_at.desc()", "updated_at.asc()"),
        guard=f"{HERE}/test_directory.py::"
        "test_all_projects_come_ten_at_a_time_the_newest_first_then_by_id_downwards[sqlite]",
    ),
    "sessions of one instant come by id upwards": Mutation(
        file=TREES,
        right=ORDER,
        wrong=ORDER.replace("id.desc()", "id.asc()"),
        guard=f"{HERE}/test_directory.py::test_the_order_of_the_query_itself[sqlite]",
    ),
}


@pytest.mark.parametrize("name", MUTATIONS)
async def test_a_fault_is_noticed(tmp_path: Path, name: str) -> None:
    """C3, D1: the guarding test fails, by its own assertion."""
    said = await run_guard(tmp_path, MUTATIONS[name])
    assert "1 failed" in said, said
    assert ": AssertionError" in said, said
