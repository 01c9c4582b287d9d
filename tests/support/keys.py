"""The secrets of the scenarios, all made up."""

import base64

ADMIN_TOKEN = "scenario-admin-token-0123456789"
API_KEY = "sk-scenario-key-that-nobody-may-see"


def secret_of(channel_id: str) -> str:
    """Each webhook channel has a secret of its own."""
    return "whsec_" + base64.b64encode(f"the secret of {channel_id}".ljust(32, ".").encode()).decode()
