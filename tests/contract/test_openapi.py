"""The API does what its OpenAPI document says, whatever is asked: generated requests against a running server."""

from collections.abc import Iterator
from typing import Any, Final

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from bridge.api.openapi import document
from bridge.api.server import all_routes
from tests.support.api_server import ADMIN
from tests.support.background import site_in_background

EXAMPLES: Final = 6
"""Requests for each operation: enough to meet every kind of refusal, few enough for every day."""

CHECKS: Final = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]

schema = schemathesis.openapi.from_dict(document(all_routes()))


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with site_in_background(tmp_path_factory.mktemp("openapi")) as running:
        yield running


@schema.exclude(path_regex="/live$").parametrize()
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_every_operation_keeps_its_word(case: schemathesis.Case[Any], url: str) -> None:
    """Contract 5: no 5xx, only documented statuses, bodies of the documented shape."""
    case.call_and_validate(base_url=url, headers={"Authorization": f"Bearer {ADMIN}"}, checks=CHECKS)
