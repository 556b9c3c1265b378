"""Settings that all tests share."""

from hypothesis import HealthCheck, settings

# The same examples on every machine and in every run; no deadline on shared machines.
settings.register_profile(
    "repeatable",
    derandomize=True,
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("repeatable")
