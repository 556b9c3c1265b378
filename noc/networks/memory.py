"""Estimate what a request needs before it is begun, and refuse what cannot fit."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

from noc.errors import InputError

try:
    import resource
except ImportError:
    # Windows has no such limits.
    resource = None  # type: ignore[assignment]

# Leave a share of what is free to the rest of the machine.
SHARE = 0.9


def _limits() -> Iterator[int]:
    """What the machine, the container and the limit of this process leave, as far as known."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                yield int(line.split()[1]) * 1024
    with contextlib.suppress(OSError):
        group = Path("/sys/fs/cgroup")
        limit = (group / "memory.max").read_text(encoding="ascii").strip()
        used = (group / "memory.current").read_text(encoding="ascii").strip()
        if limit != "max":
            yield max(0, int(limit) - int(used))
    if resource is not None:
        soft, _ = resource.getrlimit(resource.RLIMIT_AS)
        if soft != resource.RLIM_INFINITY:
            yield soft


def available_bytes() -> int:
    """Memory that this process may still take: the least of what the system's limits leave."""
    least = min(_limits(), default=None)
    return 2**33 if least is None else int(SHARE * least)


def in_units(count: int) -> str:
    """A number of bytes as people write it."""
    value, units = float(count), ["bytes", "kB", "MB", "GB", "TB"]
    while value >= 1000 and len(units) > 1:
        value /= 1000
        units.pop(0)
    return f"{value:.0f} {units[0]}" if value < 1e6 else f"{value:.1e} {units[0]}"


def require(needed: int, *, purpose: str, remedy: str) -> None:
    """Refuse, before anything is allocated, what will not fit in memory."""
    available = available_bytes()
    if needed > available:
        raise InputError(
            f"{purpose} needs about {in_units(needed)} of memory and {in_units(available)} "
            f"can be had here; {remedy}"
        )
