"""The input ports of a router."""

from dataclasses import dataclass
from typing import Any

from amaranth.hdl import Const, Module, Signal, Value
from amaranth.lib import wiring

from noc.programs.table import RouterTable
from noc.streams import TwoSlots

__all__ = ["InputPort", "build_input_ports"]


@dataclass(frozen=True)
class InputPort:
    """The signals of an input port."""

    stream: Any
    code: Any
    payload: Any


def build_input_ports(
    m: Module, router: Any, table: RouterTable, *, relayed: bool
) -> list[InputPort]:
    """The in-ports of a router and its inject stream, whose words get the code of their tree."""
    result = []
    for port in table.in_ports:
        name, link = f"in_{port.number}", getattr(router, f"in_{port.number}")
        stream = _relay(m, name, link) if relayed else link
        code = Signal(max(1, table.code_bits), name=f"{name}_code")
        m.d.comb += code.eq(stream.payload.code)
        result.append(InputPort(stream, code, stream.payload.data))
    if table.trees:
        payload = router.inject.payload
        words = payload if table.trees == 1 else payload.data
        result.append(InputPort(router.inject, _own_code(m, table, payload), words))
    return result


def _relay(m: Module, name: str, link: Any) -> Any:
    """The words of a link, one cycle later: no path leads from one side to the other."""
    m.submodules[f"{name}_relay"] = relay = TwoSlots(link.payload.shape())
    wiring.connect(m, wiring.flipped(link), relay.i)
    return relay.o


def _own_code(m: Module, table: RouterTable, payload: Any) -> Value:
    """The code of a word of the node itself."""
    bits, own = max(1, table.code_bits), [entry.code for entry in table.own]
    if len(own) == 1:
        return Const(own[0], bits)
    result = Signal(bits, name="inject_code")
    with m.Switch(payload.tree):
        for tree, code in enumerate(own):
            with m.Case(tree):
                m.d.comb += result.eq(code)
    return result
