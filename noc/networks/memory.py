"""Estimate what a request needs before it is begun, and refuse what cannot fit."""

from pathlib import Path

from noc.errors import InputError

try:
    import resource
except ImportError:
    # Windows has no such limits.
    resource = None  # type: ignore[assignment]

__all__ = ["available_bytes", "in_units", "require"]

# Leave a share of what is free to the rest of the machine.
SHARE = 0.9


def _meminfo_available() -> int | None:
    try:
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except OSError:
        return None
    return None


def _control_group_available() -> int | None:
    """What the container's own limit leaves, where there is one."""
    root = Path("/sys/fs/cgroup")
    try:
        limit = (root / "memory.max").read_text(encoding="ascii").strip()
        used = (root / "memory.current").read_text(encoding="ascii").strip()
    except OSError:
        return None
    return None if limit == "max" else max(0, int(limit) - int(used))


def _own_limit() -> int | None:
    """What this process may have, where that is limited."""
    if resource is None:
        return None
    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    return None if soft == resource.RLIM_INFINITY else soft


def available_bytes() -> int:
    """Memory that this process may still take: the least of what the system's limits leave."""
    limits = [_meminfo_available(), _control_group_available(), _own_limit()]
    known = [limit for limit in limits if limit is not None]
    return int(SHARE * min(known)) if known else 2**33


def in_units(count: int) -> str:
    """A number of bytes as people write it."""
    value, units = float(count), ["bytes", "kB", "MB", "GB", "TB"]
    for unit in units:
        if value < 1000 or unit == units[-1]:
            return f"{value:.0f} {unit}" if value < 1e6 else f"{value:.1e} {unit}"
        value /= 1000
    raise AssertionError("unreachable")


def require(needed: int, *, purpose: str, remedy: str) -> None:
    """Refuse, before anything is allocated, what will not fit in memory."""
    available = available_bytes()
    if needed > available:
        raise InputError(
            f"{purpose} needs about {in_units(needed)} of memory and {in_units(available)} "
            f"can be had here; {remedy}"
        )
