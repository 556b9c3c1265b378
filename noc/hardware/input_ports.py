"""The input ports of a router."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from amaranth.hdl import Cat, Const, Module, Signal, Value

from noc.hardware.lookup import table_bit
from noc.hardware.vc_buffers import TwoEntryFifo
from noc.programs.table import Entry, RouterTable

__all__ = ["InputPort", "build_input_ports"]


@dataclass(frozen=True)
class InputPort:
    """An input port: its signals, and the rows of the codes that can come."""

    name: str
    stream: Any
    code: Any
    payload: Any
    entries: Sequence[Entry]

    def vc(self, m: Module, vcs: int) -> Value:
        """The VC of the word that is offered."""
        return Cat(
            table_bit(
                m,
                f"{self.name}_vc_{bit}",
                self.code,
                {entry.code: bool(entry.vc >> bit & 1) for entry in self.entries},
            )
            for bit in range((vcs - 1).bit_length())
        )


def build_input_ports(
    m: Module, router: Any, table: RouterTable, *, relayed: bool
) -> list[InputPort]:
    """The in-ports of a router and its inject stream, whose words get the code of their tree."""
    by_code = {entry.code: entry for entry in table.arriving}
    result = []
    for port in table.in_ports:
        name, link = f"in_{port.number}", getattr(router, f"in_{port.number}")
        stream = _relay(m, name, link) if relayed else link
        code = Signal(max(1, table.code_bits), name=f"{name}_code")
        m.d.comb += code.eq(stream.payload.code)
        entries = [by_code[number] for number in port.codes]
        result.append(InputPort(name, stream, code, stream.payload.data, entries))
    if table.trees:
        payload = router.inject.payload
        words = payload if table.trees == 1 else payload.data
        result.append(
            InputPort("inject", router.inject, _own_code(m, table, payload), words, table.own)
        )
    return result


def _relay(m: Module, name: str, link: Any) -> Any:
    """The words of a link, one cycle later: no path leads from one side to the other."""
    m.submodules[f"{name}_relay"] = relay = TwoEntryFifo(len(link.payload.as_value()))
    relayed_link = link.signature.create(path=(f"{name}_relayed",))
    word = link.payload.as_value()
    m.d.comb += [
        link.ready.eq(relay.free),
        relay.push.eq(link.valid & relay.free),
        relay.word.eq(word & relay.free.replicate(len(word))),
        relayed_link.valid.eq(relay.occupied),
        relayed_link.payload.eq(relay.head),
        relay.pop.eq(relayed_link.valid & relayed_link.ready),
    ]
    return relayed_link


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
