"""The cycle model of the direct fabric: ``docs/router.md``, compiled.

Plain software that shares no code with the hardware. It gives the list of events that the
hardware must equal.
"""

from noc.model.direct.run import End, Events, Run, simulate, stream, watch

__all__ = ["End", "Events", "Run", "simulate", "stream", "watch"]
