"""What stands at each node of a network with operations: a giver and a judge of words."""

from amaranth.hdl import Module
from amaranth.lib import wiring

from noc.selftest.giver import Giver
from noc.selftest.judge import Judge
from noc.selftest.operation_words import OperationWords

__all__ = ["OperationEndpoint"]


class OperationEndpoint(wiring.Component):
    """The :class:`Giver` and the :class:`Judge` of one node; a barrier's word lets the giver go on.

    Parameters
    ----------
    words : OperationWords
        How words are laid out.

    Members
    -------
    As both have them.
    """

    def __init__(self, words: OperationWords) -> None:
        self._parts = {"giver": Giver(words), "judge": Judge(words)}
        members = {
            name: member
            for part in self._parts.values()
            for name, member in part.signature.members.items()
        }
        # What they tell each other; releases are counted from outside too.
        members["released"] = self._parts["judge"].signature.members["released"]
        del members["waiting"]
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        """Hand everything through."""
        m = Module()
        for name, part in self._parts.items():
            m.submodules[name] = part
            for member, kind in part.signature.members.items():
                if member == "waiting" or (name, member) == ("giver", "released"):
                    continue
                outer, inner = getattr(self, member), getattr(part, member)
                if kind.is_signature:
                    wiring.connect(m, inner, wiring.flipped(outer))
                elif kind.dimensions:
                    m.d.comb += [to.eq(of) for to, of in zip(inner, outer, strict=True)]
                elif kind.flow == wiring.In:
                    m.d.comb += inner.eq(outer)
                else:
                    m.d.comb += outer.eq(inner)
        giver, judge = self._parts["giver"], self._parts["judge"]
        m.d.comb += [giver.released.eq(judge.released.any()), judge.waiting.eq(giver.waiting)]
        return m
