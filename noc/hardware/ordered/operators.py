"""What combines two words that are joined: the package's operators, and components of a user's."""

from collections.abc import Sequence
from typing import Any

from amaranth.hdl import Cat, Const, Fragment, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from noc.errors import InputError
from noc.hardware.combine import COMBINE
from noc.hardware.ordered.words import fields_of
from noc.programs.operators import OPERATORS


class Combiner(wiring.Component):
    """What two words of a group are together: the header of the first, and combined data.

    Of a void word and another it is the other.

    Parameters
    ----------
    layout : data.StructLayout
        Of a word: ``data`` if it has any, and a header: whatever else there is.
    operators : sequence of str
        By the word's ``choice`` what combines its data with that of the other.
    latency : int
        Cycles of the slowest operator.

    Members
    -------
    a, b : In(layout)
        The words.
    o : Out(layout)
        The result, ``latency`` cycles later.
    """

    def __init__(
        self, layout: data.StructLayout, operators: Sequence[str], *, latency: int = 0
    ) -> None:
        self._operators, self._latency = tuple(operators), latency
        super().__init__({"a": In(layout), "b": In(layout), "o": Out(layout)})

    def elaborate(self, platform: object) -> Module:
        """Delay the header, combine the data; a void word leaves the other as it is."""
        m = Module()
        result, a, b = fields_of(self.o), fields_of(self.a), fields_of(self.b)
        first = {name: Mux(a["void"], b[name], a[name]) for name in a} if "void" in a else a
        header = {n: self._delayed(m, first[n]) for n in result if n != "data"}
        m.d.comb += [result[name].eq(value) for name, value in header.items()]
        if "data" in result:
            chosen = self._chosen(m, header.get("choice"))
            if "void" in a:
                either = self._delayed(m, a["void"] | b["void"])
                chosen = Mux(either, self._delayed(m, first["data"]), chosen)
            m.d.comb += result["data"].eq(chosen)
        return m

    def _delayed(self, m: Module, value: Value, *, passed: int = 0) -> Value:
        """A value as it is when all operators are done, where some cycles have passed already."""
        for _ in range(passed, self._latency):
            stage = Signal.like(value, name="stage", reset_less=True)
            m.d.sync += stage.eq(value)
            value = stage
        return value

    def _chosen(self, m: Module, choice: Value | None) -> Value:
        """The result of the operator that the first word chooses."""
        results = {name: self._result(m, name) for name in dict.fromkeys(self._operators)}
        first = results[self._operators[0]]
        if len(results) == 1:
            return first
        chosen = Signal.like(first, name="combined")
        with m.Switch(choice):
            for number, name in enumerate(self._operators):
                with m.Case(number):
                    m.d.comb += chosen.eq(results[name])
            with m.Default():
                m.d.comb += chosen.eq(first)
        return chosen

    def _result(self, m: Module, name: str) -> Value:
        """What an operator makes of the data, in the cycle in which the slowest one is done."""
        operator, a, b = OPERATORS[name], fields_of(self.a)["data"], fields_of(self.b)["data"]
        if operator.build is None:
            return self._delayed(m, COMBINE[name](a, b))
        part: Any = operator.build(len(a))
        m.submodules[f"operator_{name.replace('-', '_')}"] = part
        m.d.comb += [part.a.eq(a), part.b.eq(b)]
        return self._delayed(m, part.o, passed=operator.latency)


def headers_differ(one: Any, other: Any, to_node: Sequence[bool]) -> Value:
    """Whether two words that meet have different headers.

    ``to_node`` says by the first word's ``choice`` whether it looks at ``node``; others leave it
    free.
    """
    first, second = fields_of(one), fields_of(other)
    choice, numbers = first.get("choice"), range(len(to_node))
    result: Value = Const(0)
    for name, field in first.items():
        differs = field != second[name]
        if name == "node":
            named = [Const(1) if choice is None else choice == n for n in numbers if to_node[n]]
            result = result | (Cat(*named).any() & differs)
        elif name not in ("data", "void"):
            result = result | differs
    return result & ~(first["void"] | second["void"]) if "void" in first else result


def check_operator(name: str, width: int) -> None:
    """Refuse a user's operator whose component has other ports than it must."""
    build = OPERATORS[name].build
    if build is None:
        return
    part: Any = build(width)
    wanted = wiring.Signature({"a": In(width), "b": In(width), "o": Out(width)})
    is_component = isinstance(part, wiring.Component)
    if is_component:
        # Amaranth warns of what is never elaborated.
        Fragment.get(part, None)  # type: ignore[no-untyped-call]
    if not is_component or not wanted.is_compliant(part):
        raise InputError(
            f"operator {name!r}: build({width}) must give a component with the ports a and b, "
            f"In({width}), and o, Out({width})"
        )
