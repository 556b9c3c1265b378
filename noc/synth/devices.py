"""The chips that can be placed and routed, and how much each holds."""

from collections.abc import Mapping
from dataclasses import dataclass

from noc.errors import InputError
from noc.synth.targets import FAMILIES, Area, Family, family

__all__ = ["DEVICES", "Device", "Target", "target"]


@dataclass(frozen=True)
class Device:
    """A chip.

    Parameters
    ----------
    name : str
        As its maker spells it.
    family : Family
        Whose cells it has.
    arguments : tuple of str
        What tells nextpnr, with ``{speed}`` where the speed grade belongs.
    speeds : tuple of str
        Its speed grades, the default first.
    room : Area
        What it holds.
    sites : mapping of str to str
        Where clock and reset enter, for tools that insist on knowing.
    """

    name: str
    family: Family
    arguments: tuple[str, ...]
    speeds: tuple[str, ...]
    room: Area
    sites: Mapping[str, str]


@dataclass(frozen=True)
class Target:
    """A device in a speed grade."""

    device: Device
    speed: str

    @property
    def family(self) -> Family:
        """Whose cells it has."""
        return self.device.family

    @property
    def arguments(self) -> list[str]:
        """What tells nextpnr."""
        return [part.format(speed=self.speed) for part in self.device.arguments]


def _ecp5(name: str, option: str, tables: int, rams: int) -> Device:
    return Device(
        name,
        FAMILIES["ecp5"],
        (option, "--package", "CABGA381", "--speed", "{speed}", "--lpf-allow-unconstrained"),
        ("6", "7", "8"),
        Area(lut=tables, ff=tables, bram=rams, lutram=tables // 8),
        {},
    )


def _ice40(name: str, option: str, package: str, cells: int, rams: int) -> Device:
    return Device(
        name,
        FAMILIES["ice40"],
        (option, "--package", package, "--pcf-allow-unconstrained"),
        ("fixed",),
        Area(lut=cells, ff=cells, bram=rams, lutram=0),
        {},
    )


# The rooms are those that nextpnr reports as available.
DEVICES: dict[str, list[Device]] = {
    "ecp5": [
        _ecp5("LFE5U-85F", "--85k", 83640, 208),
        _ecp5("LFE5U-45F", "--45k", 43848, 108),
        _ecp5("LFE5U-25F", "--25k", 24288, 56),
        _ecp5("LFE5U-12F", "--12k", 24288, 56),
    ],
    "ice40": [
        _ice40("HX8K", "--hx8k", "ct256", 7680, 32),
        _ice40("HX1K", "--hx1k", "tq144", 1280, 16),
        _ice40("UP5K", "--up5k", "sg48", 5280, 30),
    ],
    "nexus": [
        Device(
            "LIFCL-40",
            FAMILIES["nexus"],
            ("--device", "LIFCL-40-{speed}BG400C"),
            ("7", "8", "9"),
            Area(lut=32256, ff=32256, bram=84, lutram=4032),
            {"clk": "E13", "rst": "G19"},
        )
    ],
}


def target(name: str, device: str | None = None, speed: str | None = None) -> Target:
    """The device of a family, the first one where none is named, in its first speed grade."""
    known = DEVICES[family(name).name]
    chosen = known[0] if device is None else _device(known, device)
    if speed is not None and len(chosen.speeds) == 1:
        raise InputError(f"--speed {speed}: {chosen.name} has no speed grades to choose from")
    if speed is not None and speed not in chosen.speeds:
        allowed = ", ".join(chosen.speeds)
        raise InputError(f"--speed {speed}: {chosen.name} comes in: {allowed}")
    return Target(chosen, speed or chosen.speeds[0])


def _device(known: list[Device], name: str) -> Device:
    for device in known:
        if device.name.lower() == name.lower():
            return device
    allowed = ", ".join(device.name for device in known)
    raise InputError(f"--device {name}: is unknown in this family; allowed: {allowed}")
