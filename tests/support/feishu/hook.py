"""The platform's webhook client: encrypts and signs events as its documentation says."""

import base64
import hashlib
import json
import os
import time
from typing import Final

from cryptography.hazmat.primitives import padding
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

ENCRYPT_KEY: Final = "simulated-encrypt-key"
VERIFICATION_TOKEN: Final = "simulated-verification-token"


def encrypt(body: bytes, key: str = ENCRYPT_KEY) -> bytes:
    """`{"encrypt": …}` of a body."""
    padder = padding.PKCS7(128).padder()
    padded = padder.update(body) + padder.finalize()
    vector = os.urandom(16)
    encryptor = Cipher(algorithms.AES(hashlib.sha256(key.encode()).digest()), modes.CBC(vector)).encryptor()
    secret = vector + encryptor.update(padded) + encryptor.finalize()
    return json.dumps({"encrypt": base64.b64encode(secret).decode()}).encode()


def sign(body: bytes, key: str = ENCRYPT_KEY, *, at: float | None = None, nonce: str = "1234567") -> dict[str, str]:
    """The headers of a signed request, in lower case."""
    timestamp = str(int(time.time() if at is None else at))
    digest = hashlib.sha256(f"{timestamp}{nonce}{key}".encode() + body).hexdigest()
    return {"x-lark-request-timestamp": timestamp, "x-lark-request-nonce": nonce, "x-lark-signature": digest}
