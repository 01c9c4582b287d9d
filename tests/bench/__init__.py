"""What the program costs and how fast it answers, measured from outside. `python -m tests.bench`

Every bench is a module with `measure() -> list[Figure]`; a figure knows its goal. None of them is a test: they need a
quiet machine to mean anything, and print how busy it was.
"""
