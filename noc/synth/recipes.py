"""Ways to map that are worth trying, for any family."""

from noc.synth.family import Recipe

__all__ = ["LATTICE", "WAYS", "recipes"]

_BEGIN = "&scorr;&sweep;&dc2;"
_MAP = "&if,{W},{D},{R},-v;&mfs"

_FIRST = f"&dch,-f,-r;&ps;{_MAP}"
_AGAIN = f"&st;&dch,-f;{_MAP}"


# What ABC does, by its own way first. With ``-dff`` it knows the registers, and merges those that
# always agree.
WAYS = (
    ("", ""),
    ("", f"{_BEGIN}&syn3;&syn3;{_FIRST};&st;&syn3;&dch,-f;{_MAP}"),
    (" -dff", f"{_BEGIN}&b,-d;&dc2;{_FIRST}"),
    (" -dff", f"{_BEGIN}&syn3;&syn4;{_FIRST}"),
    (" -dff", f"{_BEGIN}{_FIRST};{_AGAIN}"),
    (" -dff", f"{_BEGIN}{_FIRST};{_AGAIN};&st;&syn3;&dch,-f;{_MAP}"),
)


def recipes(options: str) -> tuple[Recipe, ...]:
    """Each gives the best netlist of some router; the first is the plain one."""
    return tuple(Recipe(options + registers, script) for registers, script in WAYS)


# Tables alone: the multiplexers behind them double the area for a few percent of clock. Constants
# are compared in tables, not on carry chains.
LATTICE = recipes("-nowidelut -cmp2softlogic")
