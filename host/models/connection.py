"""The HTTP client of a model: one per model, shared by all its runs."""

import ssl
from functools import cache

import httpx2

from host.models.spec import ModelSpec

_CONNECT = 10.0
_KEPT_ALIVE = 20


def http_client(spec: ModelSpec) -> httpx2.AsyncClient:
    """Fails after `timeout` seconds without a byte. Connections are not limited here: the runs are, elsewhere."""
    return httpx2.AsyncClient(
        verify=_tls(),
        timeout=httpx2.Timeout(spec.timeout, connect=min(_CONNECT, spec.timeout), pool=None),
        limits=httpx2.Limits(max_connections=None, max_keepalive_connections=_KEPT_ALIVE),
        follow_redirects=True,
    )


@cache
def _tls() -> ssl.SSLContext:
    """One for all models: reading the authorities takes a tenth of a second."""
    return httpx2.create_ssl_context()
