"""What stands at each node: a source that sends known words, and a checker of what arrives."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import memory, stream, wiring
from amaranth.lib.wiring import In, Out

from noc.selftest.words import SEED_BITS, Words

__all__ = ["EVENTS", "Endpoint"]

#: What an endpoint tells of each cycle, in the order in which all pass them on.
EVENTS = ("sent", "right", "wrong", "extra")


def repeated(bits, count: int):
    """So many bits, from the lowest up and again from the lowest."""
    return Cat(bits[place % len(bits)] for place in range(count))


class Endpoint(wiring.Component):
    """The source and the checker of one node.

    The checker knows for each stream the number of the word that comes next. A word that
    contradicts itself is wrong. One that does not, and has the expected number or one up to half
    the numbers ahead, is right, and its successor is expected then: what was skipped never counts
    as right. One that is behind, or that the node sent itself, is extra. A word is judged three
    cycles after it arrived.

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
        Words for the network, with the tree as ``tree`` where there are several.
    tree : Out(tree_bits)
        The tree of the offered word.
    arriving : In(stream.Signature(width))
        Words from the network.
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
                "tree": Out(words.tree_bits),
                "arriving": In(stream.Signature(words.width)),
                **{event: Out(1) for event in EVENTS},
            }
        )

    @property
    def words(self) -> Words:
        """How words are laid out."""
        return self._words

    def elaborate(self, platform) -> Module:
        """Build both halves; they share the seed only."""
        m = Module()
        self._source(m)
        self._checker(m)
        return m

    def _mask(self, name):
        """What turns the bits of the number over in the body of a stream's words."""
        count = self._words.body_bits
        return repeated(self.seed, count) ^ repeated(name, count)

    def _source(self, m: Module) -> None:
        words, offered = self._words, self.offered
        number = Signal(words.number_bits)
        name = Cat(self.tree, self.node)
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
        last = self.tree == words.trees - 1
        with m.If(leaves):
            m.d.sync += [self.tree.eq(Mux(last, 0, self.tree + 1)), number.eq(number + last)]
        with m.If(self.clear):
            m.d.sync += [number.eq(0), self.tree.eq(0), offered.valid.eq(0), self.sent.eq(0)]

    def _checker(self, m: Module) -> None:
        words, arriving = self._words, self.arriving
        m.submodules.expected = expected = memory.Memory(
            shape=words.number_bits, depth=1 << words.stream_bits, init=[]
        )
        write = expected.write_port()
        read = expected.read_port(transparent_for=(write,))

        # Arrived: the word is held, its stream looked up, and the body compared with itself.
        word, here = Signal(words.width), Signal()
        name, body = word[: words.stream_bits], word[words.stream_bits :]
        plain = body ^ self._mask(name)
        first = plain[: words.number_bits]
        m.d.sync += [
            arriving.ready.eq(self.take),
            here.eq(arriving.valid & arriving.ready & ~self.clear),
            word.eq(arriving.payload),
        ]
        m.d.comb += read.addr.eq(name)

        # Looked up: judged by the number.
        judged, sound, own = Signal(), Signal(), Signal()
        number, stream_ = Signal(words.number_bits), Signal(words.stream_bits)
        m.d.sync += [
            judged.eq(here & ~self.clear),
            sound.eq(plain == repeated(first, words.body_bits)),
            own.eq(name[words.tree_bits :] == self.node),
            number.eq(first),
            stream_.eq(name),
        ]
        ahead = Signal(words.number_bits)
        good = Signal()
        m.d.comb += [
            ahead.eq(number - read.data),
            good.eq(judged & sound & ~own & ~ahead[-1]),
            write.addr.eq(stream_),
            write.data.eq(number + 1),
            write.en.eq(good),
        ]
        m.d.sync += [
            self.right.eq(good),
            self.wrong.eq(judged & ~sound),
            self.extra.eq(judged & sound & ~good),
        ]
        with m.If(self.clear):
            m.d.comb += [write.addr.eq(self.sweep), write.data.eq(0), write.en.eq(1)]
