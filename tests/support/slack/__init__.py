"""Slack on loopback with its real rules: Socket Mode, the Events API and the Web API. Driven by the unmodified SDK."""
