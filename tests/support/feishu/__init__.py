"""The platform on loopback: its REST API, its long connection and its webhook, with their real rules."""
