"""The families of chips: each file here holds all of one, and is found by itself."""

import pkgutil
from importlib import import_module

from noc.errors import InputError, option
from noc.synth.family import Family, Target

__all__ = ["FAMILIES", "family", "target"]

#: By the names that users type.
FAMILIES: dict[str, Family] = {
    module.name: import_module(f"{__name__}.{module.name}").FAMILY
    for module in pkgutil.iter_modules(__path__)
}


def family(name: str, *, flag: str = "target") -> Family:
    """The family of a name; an error lists them, on the command line in the name of its option."""
    known = FAMILIES.get(name.lower())
    if known is None:
        raise InputError(
            f"{option('name', name, flag=flag)}: is unknown; allowed: {', '.join(FAMILIES)}"
        )
    return known


def target(name: str, device: str | None = None, speed: str | None = None) -> Target:
    """The device of a family, the first one where none is named, in its first speed grade."""
    chips = family(name)
    sought = (chips.devices[0].name if device is None else device).lower()
    chosen = next((each for each in chips.devices if each.name.lower() == sought), None)
    if chosen is None:
        known = ", ".join(each.name for each in chips.devices)
        raise InputError(f"{option('device', device)}: is unknown in this family; allowed: {known}")
    asked = option("speed", speed)
    if speed is not None and len(chosen.speeds) == 1:
        raise InputError(f"{asked}: {chosen.name} has no speed grades to choose from")
    if speed is not None and speed not in chosen.speeds:
        allowed = ", ".join(chosen.speeds)
        raise InputError(f"{asked}: {chosen.name} comes in: {allowed}")
    return Target(chips, chosen, speed or chosen.speeds[0])
