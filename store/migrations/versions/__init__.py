"""One file per revision: `<number>_<what>.py`, numbers rise."""
