"""The words for what a network does."""

import os

from aiohttp import ClientConnectionError, ClientConnectorDNSError, ClientConnectorError, InvalidURL


def reason_of(fault: Exception) -> str:
    """Why nobody answered, in a few words. The fault's own text may hold the URL, and that a token."""
    match fault:
        case TimeoutError():
            return "no answer in time"
        case ClientConnectorDNSError():
            return "unknown host"
        case ClientConnectorError() if fault.errno:
            return os.strerror(fault.errno).lower()
        case InvalidURL():
            return "no usable URL"
        case ClientConnectionError():
            return "the connection was cut"
        case ValueError():
            return "no usable answer"
    return type(fault).__name__
