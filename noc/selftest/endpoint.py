"""What stands at each node: a source that sends known words, and a checker of what arrives."""

from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import memory, stream, wiring
from amaranth.lib.wiring import In, Out

from noc.selftest.patterns import repeated
from noc.selftest.words import SEED_BITS, Words

__all__ = ["EVENTS", "Endpoint"]

#: What an endpoint tells of each cycle, in the order in which all pass them on.
EVENTS = ("sent", "right", "wrong", "extra")


class Endpoint(wiring.Component):
    """The source and the checker of one node.

    The checker knows for each stream the number of the word that comes next. A word that
    contradicts itself is wrong. One that does not, and has the expected number or one up to half
    the numbers ahead, is right, and its successor is expected then: what was skipped never counts
    as right. One that is behind, or that the node sent itself, is extra, unless the network
    returns a node's own words. A word is judged three cycles after it arrived.

    Parameters
    ----------
    words : Words
        How words are laid out.

    Members
    -------
    node : In(node_bits)
        The number of the node: a constant, so that all nodes share one module.
    seed : In(SEED_BITS)
        The round's seed, constant outside of ``clear``.
    clear : In(1)
        Forget everything: needs a cycle for each stream, with its name at ``sweep``.
    sweep : In(stream_bits)
        See ``clear``.
    send : In(1)
        Whether a new word may be offered.
    take : In(1)
        Whether a word may be taken in the next cycle.
    offered : Out(stream.Signature(width))
        Words for the network.
    tree : Out(tree_bits)
        The tree of the offered word; only where there are several.
    arriving : In(stream.Signature(arriving_bits))
        Words from the network, and above each the number of its source, if the network adds it.
    sent, right, wrong, extra : Out(1)
        Whether a word was newly offered, or judged so, in this cycle.
    """

    def __init__(self, words: Words) -> None:
        self._words = words
        super().__init__(
            {
                "node": In(words.node_bits),
                "seed": In(SEED_BITS),
                "clear": In(1),
                "sweep": In(words.stream_bits),
                "send": In(1),
                "take": In(1),
                "offered": Out(stream.Signature(words.width)),
                # Of no bits it would be a port [-1:0], which to Verilog has two.
                **({"tree": Out(words.tree_bits)} if words.tree_bits else {}),
                "arriving": In(stream.Signature(words.arriving_bits)),
                **{event: Out(1) for event in EVENTS},
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Build both halves; they share the seed only."""
        m = Module()
        self._source(m)
        self._checker(m)
        return m

    def _mask(self, name: Any) -> Any:
        """What turns the bits of the number over in the body of a stream's words."""
        count = self._words.body_bits
        return repeated(self.seed, count) ^ repeated(name, count)

    def _source(self, m: Module) -> None:
        words, offered = self._words, self.offered
        number = Signal(words.number_bits)
        tree = self.tree if words.tree_bits else Signal(0)
        name = Cat(tree, self.node)
        leaves, new = Signal(), Signal()
        m.d.comb += [
            offered.payload.eq(Cat(name, repeated(number, words.body_bits) ^ self._mask(name))),
            leaves.eq(offered.valid & offered.ready),
            new.eq(self.send & (~offered.valid | offered.ready)),
        ]
        m.d.sync += [
            offered.valid.eq(new | offered.valid & ~offered.ready),
            self.sent.eq(new),
        ]
        # One number serves for a word of each tree in turn.
        last = tree == words.trees - 1
        with m.If(leaves):
            m.d.sync += [tree.eq(Mux(last, 0, tree + 1)), number.eq(number + last)]
        with m.If(self.clear):
            m.d.sync += [number.eq(0), tree.eq(0), offered.valid.eq(0), self.sent.eq(0)]

    def _checker(self, m: Module) -> None:
        """Three stages: the word is held, its stream is looked up, it is judged."""
        words = self._words
        m.submodules.expected = expected = memory.Memory(
            shape=words.number_bits, depth=1 << words.stream_bits, init=[]
        )
        write = expected.write_port()
        read = expected.read_port(transparent_for=(write,))
        word, here = self._held(m)
        m.d.comb += read.addr.eq(word[: words.stream_bits])
        self._judged(m, self._looked_up(m, word, here), read, write)

    def _held(self, m: Module) -> tuple[Signal, Signal]:
        """The word that arrived, and whether one did."""
        arriving = self.arriving
        word, here = Signal(self._words.arriving_bits, name="word"), Signal(name="here")
        m.d.sync += [
            arriving.ready.eq(self.take),
            here.eq(arriving.valid & arriving.ready & ~self.clear),
            word.eq(arriving.payload),
        ]
        return word, here

    def _looked_up(self, m: Module, word: Signal, here: Signal) -> "_Looked":
        """What is known of the word by itself, while the number that its stream expects is read."""
        words = self._words
        name, body = word[: words.stream_bits], word[words.stream_bits : words.width]
        source = name[words.tree_bits :]
        text = word[words.width :] == source if words.numbered else Const(1)
        plain = body ^ self._mask(name)
        first = plain[: words.number_bits]
        looked = _Looked(words)
        m.d.sync += [
            looked.here.eq(here & ~self.clear),
            looked.sound.eq((plain == repeated(first, words.body_bits)) & text),
            looked.own.eq(source == self.node),
            looked.number.eq(first),
            looked.stream.eq(name),
        ]
        return looked

    def _judged(self, m: Module, looked: "_Looked", read: Any, write: Any) -> None:
        """Tell what the word is; expect the next number if it is good."""
        ahead, good = Signal(self._words.number_bits), Signal()
        unwanted = Const(0) if self._words.returned else looked.own
        m.d.comb += [
            ahead.eq(looked.number - read.data),
            good.eq(looked.here & looked.sound & ~unwanted & ~ahead[-1]),
            write.addr.eq(looked.stream),
            write.data.eq(looked.number + 1),
            write.en.eq(good),
        ]
        m.d.sync += [
            self.right.eq(good),
            self.wrong.eq(looked.here & ~looked.sound),
            self.extra.eq(looked.here & looked.sound & ~good),
        ]
        with m.If(self.clear):
            m.d.comb += [write.addr.eq(self.sweep), write.data.eq(0), write.en.eq(1)]


class _Looked:
    """A word while the number is read that its stream expects.

    ``here`` says whether there is one; ``sound`` that it does not contradict itself, ``own`` that
    this node sent it; ``number`` and ``stream`` are what it says of itself.
    """

    def __init__(self, words: Words) -> None:
        self.here = Signal(name="looked_here")
        self.sound = Signal(name="sound")
        self.own = Signal(name="own")
        self.number = Signal(words.number_bits, name="number")
        self.stream = Signal(words.stream_bits, name="stream")
