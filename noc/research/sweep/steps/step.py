"""What a step of a sweep is."""

import contextlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from noc.design import AnyDesign
from noc.emit.module import Module
from noc.emit.verilog import modules
from noc.errors import CheckError, InputError

#: What an entry of a table holds; None is an empty one.
Value = int | float | str | None


@dataclass(frozen=True)
class Axes:
    """The conditions under which a design is measured.

    Parameters
    ----------
    load : float
        Words that come to all sources together in a cycle; with 1 every source always has one.
    seed : int
        The seed of the traffic's random numbers.
    words : int
        Words that each source sends in a run of a verification; 0 for as many as make about three
        million transfers in all.
    measured : str
        What is synthesised: ``network``, or ``router``, the largest of its routers.
    seconds : float
        How long a solver may search for one schedule, or for the proof that there is none.
    target, mapping, reroute, seeds, certificates
        Of chips and netlists, as ``noc synth`` takes them; and the folder for certificates.
    """

    load: float = 1.0
    seed: int = 1
    words: int = 0
    target: str = "ecp5"
    mapping: str = "plain"
    reroute: bool = False
    measured: str = "network"
    seeds: int = 1
    seconds: float = 60.0
    certificates: str = "certificates"


@dataclass(frozen=True)
class Step:
    """One kind of measurement: its columns, and the conditions that they depend on.

    Parameters
    ----------
    verilog : bool
        Whether it is about the Verilog, rather than about what is computed before it.
    measure : callable
        From a design, the conditions and an empty folder to the columns.
    version : int
        Of the way in which it is measured: results of another one do not hold.
    packages : callable
        From the conditions to the Python packages of the tools that decide the result.
    """

    name: str
    columns: tuple[str, ...]
    axes: tuple[str, ...]
    verilog: bool
    measure: Callable[[AnyDesign, Axes, Path], Mapping[str, Value]]
    version: int = 1
    packages: Callable[[Axes], tuple[str, ...]] = lambda _: ()


@contextlib.contextmanager
def tools_needed() -> Iterator[None]:
    """What a machine lacks is a failure of the measurement, and says nothing of the design."""
    try:
        yield
    except InputError as error:
        raise CheckError(error.message) from None


@lru_cache(maxsize=1)
def verilog_of(design: AnyDesign) -> tuple[Module, ...]:
    """The top module and the parts, which several rows of a design are about."""
    return tuple(modules(design))
