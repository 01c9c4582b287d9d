"""Approvals (C12): tool calls that wait for a person, and what follows from the answer."""
