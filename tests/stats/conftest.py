"""Hypothesis without a deadline: how long an example takes says how busy the machine is."""

from hypothesis import settings

settings.register_profile("no deadline", deadline=None)
settings.load_profile("no deadline")
