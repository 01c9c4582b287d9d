"""Backups: everything of an installation that a person cannot write again, in one file."""
