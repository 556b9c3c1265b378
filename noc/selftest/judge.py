"""What judges the words that come to a node, in a network with operations."""

from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, memory, stream, wiring
from amaranth.lib.wiring import In, Out

from noc.selftest.operation_words import LAP_BITS, OperationWords, following
from noc.selftest.patterns import among, pair, repeated, result
from noc.selftest.words import SEED_BITS

__all__ = ["Judge", "stream_bits"]


def stream_bits(words: OperationWords) -> int:
    """Bits by which a judge tells apart what it expects: an operation and, of words sent, a source.

    At least one.
    """
    return max(1, words.operations.bits + (words.node_bits if words.operations.sent else 0))


class Judge(wiring.Component):
    """Says of each word four cycles after it came what it is.

    A word that moves by itself is judged as :class:`noc.selftest.endpoint.Endpoint` does. A result
    is right if it is the one that follows the last of its operation, and wrong otherwise; the one
    after it is expected in either case. A barrier's word for which nobody waits is extra.

    Parameters
    ----------
    words : OperationWords
        How words are laid out.

    Members
    -------
    node : In(node_bits)
        The number of the node: a constant, as the next is.
    gets : In(operations)
        Of which operations words may come to the node.
    seed, clear
        As for :class:`noc.selftest.giver.Giver`; ``clear`` takes a cycle for each ``sweep``.
    sweep : In(stream_bits)
        See ``clear``.
    waiting : In(1)
        Whether the node waits for the word of a barrier.
    take : In(1)
        Whether a word may be taken in the next cycle.
    arriving : In(stream.Signature(bits))
        Words from the network.
    right : Out(operations)
        Of which operation a word was judged right.
    released : Out(operations)
        Of which barrier a word comes in this cycle.
    wrong, extra : Out(1)
        Whether a word was judged so.
    """

    def __init__(self, words: OperationWords) -> None:
        self._words = words
        count = len(words.listed)
        super().__init__(
            {
                "node": In(max(1, words.node_bits)),
                "gets": In(count),
                "seed": In(SEED_BITS),
                "clear": In(1),
                "sweep": In(stream_bits(words)),
                "waiting": In(1),
                "take": In(1),
                "arriving": In(stream.Signature(sum(words.format.eject.values()))),
                "right": Out(count),
                "released": Out(count),
                "wrong": Out(1),
                "extra": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """The word is held, what is expected is looked up, then computed, then compared."""
        m = Module()
        words, arriving = self._words, self.arriving
        m.submodules.expected = expected = memory.Memory(
            shape=LAP_BITS, depth=1 << stream_bits(words), init=[]
        )
        write = expected.write_port()
        read = expected.read_port(transparent_for=(write,))
        word, here = Signal(len(arriving.payload), name="word"), Signal(name="here")
        taken = arriving.valid & arriving.ready & ~self.clear
        m.d.sync += [arriving.ready.eq(self.take), here.eq(taken), word.eq(arriving.payload)]
        operation = self._field(arriving.payload, "operation")
        for number, each in enumerate(words.listed):
            if each.kind == "barrier":
                comes = taken & (operation == number) & self.gets[number]
                m.d.comb += self.released[number].eq(comes)
        awaited = Signal()
        m.d.sync += awaited.eq(self.waiting)
        looked = self._look_up(m, word, here, awaited, read)
        self._compare(m, self._compute(m, looked, read, write))
        with m.If(self.clear):
            m.d.comb += [write.addr.eq(self.sweep), write.data.eq(0), write.en.eq(1)]
        return m

    def _field(self, word: Value, name: str) -> Value:
        """A field of a word that came; one that is not there is 0."""
        layout = data.StructLayout(self._words.format.eject)
        field: Value = data.View(layout, word)[name] if name in layout.members else Const(0)
        return field

    def _look_up(
        self, m: Module, word: Signal, here: Signal, awaited: Signal, read: Any
    ) -> "_Looked":
        """What the word says by itself, while the number is read that is expected."""
        words, wanted = self._words, self._words.operations
        operation = self._field(word, "operation")
        joined = among(operation, tuple(n for n, o in enumerate(words.listed) if o.joined))
        stream: Value = operation[: wanted.bits]
        if wanted.sent:
            source = self._field(word, "data")[: words.node_bits]
            stream = Cat(stream, Mux(joined, 0, source)[: words.node_bits])
        looked = _Looked(words)
        barrier = among(
            operation, tuple(n for n, o in enumerate(words.listed) if o.kind == "barrier")
        )
        gets = self.gets.bit_select(operation, 1) & (~barrier | awaited)
        m.d.comb += read.addr.eq(stream)
        m.d.sync += [
            looked.here.eq(here & ~self.clear),
            looked.joined.eq(joined),
            looked.operation.eq(operation),
            looked.stream.eq(stream),
            looked.gets.eq(gets),
            looked.data.eq(self._field(word, "data")),
            looked.last.eq(self._field(word, "last")),
            looked.plain.eq(self._field(word, "source") == 0),
        ]
        if wanted.sent:
            self._look_at_sent(m, word, looked)
        return looked

    def _look_at_sent(self, m: Module, word: Signal, looked: "_Looked") -> None:
        """Whether a word that moves by itself is sound, and whether it is for the node."""
        words, wanted = self._words, self._words.operations
        text, operation = self._field(word, "data"), self._field(word, "operation")
        bits, count = words.node_bits, words.body_bits
        name = text[: words.name_bits]
        source, meant = name[:bits], name[bits + wanted.bits :]
        plain = text[words.name_bits :] ^ repeated(self.seed, count) ^ repeated(name, count)
        number = plain[: words.number_bits]
        to_node = among(operation, tuple(n for n in wanted.sent if words.listed[n].to_node))
        sound = [
            plain == repeated(number, count),
            name[bits : bits + wanted.bits] == operation,
            among(operation, wanted.sent),
        ]
        unwanted: Value = Const(0) if words.returned else ~to_node & (source == self.node)
        if words.format.source_numbers:
            sound.append(self._field(word, "source") == source)
        if "last" in words.format.eject:
            sound.append(self._field(word, "last") == number[0])
        if words.addressed:
            sound.append(to_node | (meant == source))
            unwanted = unwanted | to_node & (meant != self.node)
        m.d.sync += [
            looked.sound.eq(Cat(sound).all()),
            looked.unwanted.eq(unwanted),
            looked.number.eq(number),
        ]

    def _compute(self, m: Module, looked: "_Looked", read: Any, write: Any) -> "_Computed":
        """Judge what moves by itself, and make the result that is expected."""
        words = self._words
        number, good, comes = read.data, Signal(), Signal()
        ahead = Signal(words.number_bits)
        m.d.comb += [
            comes.eq(looked.here & looked.joined & looked.gets),
            ahead.eq(looked.number - number[: words.number_bits]),
            good.eq(
                (looked.here & ~looked.joined & looked.sound)
                & (looked.gets & ~looked.unwanted & ~ahead[-1])
            ),
            write.addr.eq(looked.stream),
            write.data.eq(Mux(looked.joined, following(number), looked.number + 1)),
            write.en.eq(good | comes),
        ]
        computed = _Computed(words)
        m.d.sync += [
            computed.good.eq(good),
            computed.wrong.eq(looked.here & ~looked.joined & ~looked.sound),
            computed.extra.eq(looked.here & Mux(looked.joined, ~looked.gets, looked.sound & ~good)),
            computed.comes.eq(comes),
            computed.operation.eq(looked.operation),
            computed.data.eq(looked.data),
            computed.header.eq(
                looked.plain & ((looked.last == number[0]) | ("last" not in words.format.eject))
            ),
        ]
        if words.operations.joined_groups:
            m.d.sync += computed.expected.eq(self._expected(m, looked, number))
        return computed

    def _expected(self, m: Module, looked: "_Looked", number: Value) -> Value:
        """The result of this number; of a barrier, whatever came."""
        words, wanted = self._words, self._words.operations
        chosen = Signal(words.width)
        to_node = among(looked.operation, tuple(n for n, o in enumerate(words.listed) if o.to_node))
        key = Cat(looked.operation[: wanted.bits], Mux(to_node, self.node, 0)[: words.node_bits])
        a, b = pair(words, number, self.seed, key)
        with m.Switch(looked.operation):
            for operation, each in enumerate(words.listed):
                if each.joined:
                    with m.Case(operation):
                        members = len(words.members(operation))
                        made = (
                            result(each.operator, members, a, b) if each.operator else looked.data
                        )
                        m.d.comb += chosen.eq(made)
        return chosen

    def _compare(self, m: Module, computed: "_Computed") -> None:
        """Tell what the word is."""
        equal = computed.header & (computed.data == computed.expected)
        right = computed.good | computed.comes & equal
        m.d.sync += [
            self.right.eq(
                Cat(right & (computed.operation == n) for n in range(len(self._words.listed)))
            ),
            self.wrong.eq(computed.wrong | computed.comes & ~equal),
            self.extra.eq(computed.extra),
        ]


class _Looked:
    """A word while the number is read that is expected.

    ``gets`` says whether words of its operation may come here, ``plain`` that its source is 0 as
    that of a result is. Of a word that moves by itself, ``sound`` says that it does not contradict
    itself, ``unwanted`` that it is not for this node, and ``number`` what it says of itself.
    """

    def __init__(self, words: OperationWords) -> None:
        flags = ("here", "joined", "gets", "plain", "last", "sound", "unwanted")
        for flag in flags:
            setattr(self, flag, Signal(name=f"looked_{flag}"))
        self.operation = Signal(max(1, words.operations.bits), name="looked_operation")
        self.stream = Signal(stream_bits(words), name="looked_stream")
        self.data = Signal(words.width, name="looked_data")
        self.number = Signal(words.number_bits, name="looked_number")

    here: Signal
    joined: Signal
    gets: Signal
    plain: Signal
    last: Signal
    sound: Signal
    unwanted: Signal


class _Computed:
    """A word, and what it must be if it ``comes`` as a result; otherwise what it is."""

    def __init__(self, words: OperationWords) -> None:
        for flag in ("good", "wrong", "extra", "comes", "header"):
            setattr(self, flag, Signal(name=f"computed_{flag}"))
        self.operation = Signal(max(1, words.operations.bits), name="computed_operation")
        self.data = Signal(words.width, name="computed_data")
        self.expected = Signal(words.width, name="expected_data")

    good: Signal
    wrong: Signal
    extra: Signal
    comes: Signal
    header: Signal
