"""Cooperation of experts: sessions below sessions, work handed to them, and waiting for what comes of it.

Never a host's: teams work through jobs. A member at work only lists and reads its own sessions of the room.
"""
