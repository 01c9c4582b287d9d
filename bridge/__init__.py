"""The program: everything between the platforms and the host."""

__version__ = "0.1.0"
