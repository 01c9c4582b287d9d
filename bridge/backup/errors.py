"""What can be wrong with a backup, named by what the caller must do.

BackupError
├── BackupDamaged   use another backup (or another version of this program): nothing was changed
└── NotRestorable   prepare the place first: nothing was changed
"""


class BackupError(Exception):
    """The text is a sentence for the owner."""


class BackupDamaged(BackupError):
    """The file is no backup, is not complete, or is not what it was."""


class NotRestorable(BackupError):
    """The file is good, but does not go there."""
