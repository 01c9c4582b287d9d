"""Schema revisions. A released revision is never edited; `python -m store.migrations.draft` writes the next one."""
