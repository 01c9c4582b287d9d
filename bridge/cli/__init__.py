"""The command line: one file per command. `program` finds them; nothing but the named one is imported."""
