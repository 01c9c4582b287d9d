"""Property tests here are repeatable and have no deadline: the machine may be busy."""

from hypothesis import settings

settings.register_profile("calm", deadline=None, derandomize=True)
settings.load_profile("calm")
