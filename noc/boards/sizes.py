"""Which sizes fit on a chip, where the one that was asked for does not."""

import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

from noc.boards.boards import Board
from noc.design import AnyDesign, Sources, alike
from noc.emit.module import Module, converted
from noc.emit.verilog import modules
from noc.errors import InputError
from noc.hardware import assemble
from noc.networks import Network
from noc.selftest.endpoint import Endpoint
from noc.selftest.top import ENDPOINT
from noc.selftest.words import words_of
from noc.synth import FAMILIES as TARGETS
from noc.synth import synthesise
from noc.synth.room import demand, holds, lacking, smaller, smaller_sizes
from noc.synth.targets import Area

__all__ = ["check", "check_nodes", "estimate", "too_large"]

#: What does not grow with the network: the conductor and the report.
_FIXED = Area(lut=900, ff=500, bram=1, lutram=0)

#: Yosys finds tables to save in the whole that it does not find in the parts by themselves.
_WHOLE = 0.94

#: So full a chip can still be routed.
_FULL = 0.95

#: Of so many routers the size is found out; the others are taken to be like them.
_SAMPLES = 4

#: In a table of a vendor's chip there is room for what this family puts into so many, at most.
_LIKE, _AT_ONCE = "ecp5", 2

#: Widths to try where the one that was asked for does not fit.
_WIDTHS = (64, 32, 16, 8)

#: A guess of a node's tables, and of those for each bit of the width; on the high side but for the
#: smallest networks.
_NODE, _BIT = 160, 8

#: A node takes no fewer tables than the less of these two, with so many for each bit of the width.
#: The smallest have one link, in the ordered fabric, and do not send: with its endpoint such a node
#: takes, by estimate, 27, 52, 110, 154 and 800 tables on ECP5 at 2, 8, 32, 64 and 512 bits, and
#: more on iCE40: these are 26, 38, 86, 128 and 576.
_LEAST = ((22, 2), (64, 1))

#: Of no more nodes, the trees and tables are made in seconds, and an estimate tells more.
_QUICK = 256

#: Estimates are not wrong by more than this factor.
_SURELY = 0.75

#: Parameters of smaller members to try, at most.
_STEPS = 3


def estimate(made: AnyDesign, target: str) -> Area:
    """What a self-test takes, from some routers or nodes and one endpoint."""
    family, nodes = TARGETS[target], made.network.nodes
    assembly, (_, *modules_of) = assemble(made), modules(made)
    placed = [instance.part for instance in assembly.instances]
    often = Counter(placed[:nodes]).most_common(_SAMPLES)
    # Beside the nodes there are only registers in links.
    registers = Counter(placed[nodes:])
    with tempfile.TemporaryDirectory(prefix="noc-build-") as name:
        folder = Path(name)

        def area(module: Module) -> Area:
            return demand(synthesise(module, family, folder).json, module.name, family)

        found = [(area(modules_of[kind]), times) for kind, times in often]
        beside = [(area(modules_of[kind]), times) for kind, times in registers.items()]
        endpoint = area(converted(Endpoint(words_of(made)), ENDPOINT))
    sampled = sum(times for _, times in found)

    def total(kind: str, saved: float = 1) -> int:
        mean = sum(getattr(each, kind) * times for each, times in found) / sampled
        rest = sum(getattr(each, kind) * times for each, times in beside)
        parts = nodes * float(mean + getattr(endpoint, kind)) + float(rest)
        return int(getattr(_FIXED, kind)) + round(saved * parts)

    return Area(total("lut", _WHOLE), total("ff"), total("bram"), total("lutram"))


def check_nodes(spec: str, nodes: int, width: int, board: Board) -> None:
    """Refuse at once what no chip of this size holds, before trees and tables are made."""
    room, least = board.room, min(node + bit * width for node, bit in _LEAST)
    need = nodes * least // (1 if board.family else _AT_ONCE)
    if nodes <= _QUICK or need <= room.lut:
        return
    what = lacking(Area(need, 0, 0, 0), room, "the chip")
    raise InputError(
        f"{spec} --width {width} is too large for {board.name}: its self-test needs at least "
        f"{what}; {_might(spec, width, room)}"
    )


def _might(spec: str, width: int, room: Area) -> str:
    """The largest smaller network that might fit, by a guess."""
    for found, nodes in smaller_sizes(spec):
        if _guess(nodes, width) < room.lut:
            return f"might fit: {found} --width {width}"
    return "use a smaller network"


def _guess(nodes: int, width: int) -> int:
    """Tables, on the high side."""
    return nodes * (_NODE + _BIT * width)


def check(made: AnyDesign, board: Board, room: Area) -> None:
    """Refuse at once, by estimate, what is far too large; what may fit is synthesised."""
    if _guess(made.network.nodes, made.width) < room.lut:
        return
    need = _at_least(made, board)
    if not holds(_times(room, 1 / _SURELY), need):
        raise too_large(made, board, room, need)


def _at_least(made: AnyDesign, board: Board) -> Area:
    """What a self-test takes, or, on a vendor's chip, what it takes at least."""
    need = _about(made, board)
    return need if board.family else replace(need, lut=need.lut // _AT_ONCE)


def _about(made: AnyDesign, board: Board) -> Area:
    """What a self-test takes; on a vendor's chip at most."""
    return estimate(made, board.family or _LIKE)


def too_large(made: AnyDesign, board: Board, room: Area, need: Area) -> InputError:
    """The refusal, with sizes that would fit."""
    sizes = list(_fitting(made, board, _times(room, _FULL)))
    advice = f"would fit: {'; '.join(sizes)}" if sizes else "no smaller size fits either"
    return InputError(
        f"{made.network.spec} --width {made.width} is too large for {board.name}: its self-test "
        f"needs {lacking(need, room, 'the chip')}; {advice}"
    )


def _times(room: Area, factor: float) -> Area:
    """A chip with more or less room for logic."""
    return Area(round(factor * room.lut), round(factor * room.ff), room.bram, room.lutram)


def _fitting(made: AnyDesign, board: Board, room: Area) -> Iterator[str]:
    """The same network with one source at a time, or narrower; and the largest smaller one."""
    net, width = made.network, made.width

    def fits(net: Network, width: int, sources: Sources) -> bool:
        """Whether a variant fits, by estimate."""
        try:
            variant = alike(made, net, sources=sources, width=width)
            return holds(room, _about(variant, board))
        except InputError:
            return False

    if made.sources == "all" and fits(net, width, "one"):
        yield f"{net.spec} --width {width} --sources one"
    for narrow in (narrow for narrow in _WIDTHS if narrow < width):
        if fits(net, narrow, made.sources):
            yield f"{net.spec} --width {narrow}"
            break
    for found in islice(smaller(net.spec), _STEPS):
        if fits(found, width, made.sources):
            yield f"{found.spec} --width {width}"
            return
