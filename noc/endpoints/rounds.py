"""AXI-Stream at a node of the timetable fabric, which has several streams."""

from typing import Any

from amaranth.hdl import Cat, Module
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from noc.endpoints.axis import AxiStreamSignature
from noc.endpoints.crossing import NETWORK, NODE, Crossing, list_streams
from noc.endpoints.options import BeatFormat
from noc.programs.word_format import WordFormat


class RoundEndpoint(wiring.Component):
    """Between a node's AXI-Streams and the inject and eject streams of its router, one for each.

    Words do not say what they are; the phase of the round in which one comes does, for each stream.

    Parameters
    ----------
    format : BeatFormat
        The fields of a beat.
    words : WordFormat
        Those of a word: an ejected one has its phase where it may wait for the node.
    round : int
        The cycles of a round.
    injects : int or None
        How many inject streams the node has; None for one that is no array.
    ejects : int or None
        How many eject streams it has; None for one that is no array, whose words say what they are.
    crossing : bool
        Whether the AXI-Streams are in the clock domain ``node``; the router's are in ``sync``.

    Members
    -------
    s_axis : In(AxiStreamSignature), or an array of it, or absent
        Words of the node, as the router has inject streams.
    m_axis : Out(AxiStreamSignature), or an array of it, or absent
        Words for the node, with ``tid``, and ``tlast`` at the end of a round.
    told : In(round * bits).array, or absent
        Constants: for each eject stream, by phase, ``tid`` and above it ``tlast`` of the word.
    phase : In(range(round)), or absent
        That of the node, where words have none.
    inject : Out(stream.Signature), or an array of it, or absent
        To the router.
    eject : In(stream.Signature), or an array of it, or absent
        From the router.
    """

    def __init__(
        self,
        format: BeatFormat,  # noqa: A002
        words: WordFormat,
        *,
        round: int,  # noqa: A002
        injects: int | None,
        ejects: int | None,
        crossing: bool = False,
    ) -> None:
        self._crossing, self._always_ready = crossing, not words.eject.keys() - {"data"}
        # Of what is told of a word.
        self._bits = format.source_bits + format.last
        s_axis = In(AxiStreamSignature(width=format.width, last=False))
        inject = Out(stream.Signature(format.width))
        members = {"s_axis": s_axis, "inject": inject} if injects is None else {}
        if injects:
            members = {"s_axis": s_axis.array(injects), "inject": inject.array(injects)}
        if ejects != 0:
            eject = stream.Signature(
                data.StructLayout(words.eject), always_ready=self._always_ready
            )
            m_axis = AxiStreamSignature(
                width=format.width,
                last=format.last,
                id_bits=format.source_bits,
                always_ready=self._always_ready,
            )
            ends = {"eject": In(eject), "m_axis": Out(m_axis)}
            members |= {n: end if ejects is None else end.array(ejects) for n, end in ends.items()}
            if self._bits and ejects:
                members["told"] = In(round * self._bits).array(ejects)
                if self._always_ready:
                    # A bit at least, as the router has it.
                    members["phase"] = In(range(max(round, 2)))
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        """Wire both directions."""
        m = Module()
        injects, ejects = list_streams(self, "inject"), list_streams(self, "eject")
        for number, beat in list_streams(self, "s_axis").items():
            word = injects[number]
            if self._crossing:
                up = Crossing(word.payload.shape(), write=NODE, read=NETWORK)
                m.submodules[f"up{number}"] = up
                wiring.connect(m, up.o, wiring.flipped(word))
                word = up.i
            m.d.comb += [
                word.valid.eq(beat.tvalid),
                word.payload.eq(beat.tdata),
                beat.tready.eq(word.ready),
            ]
        for place, (number, beat) in enumerate(list_streams(self, "m_axis").items()):
            word = ejects[number]
            if self._crossing:
                down = Crossing(word.payload.shape(), write=NETWORK, read=NODE)
                m.submodules[f"down{number}"] = down
                wiring.connect(m, wiring.flipped(word), down.i)
                word = down.o
            m.d.comb += [beat.tvalid.eq(word.valid), beat.tdata.eq(word.payload.data)]
            if not self._always_ready:
                m.d.comb += word.ready.eq(beat.tready)
            self._tell(m, place, beat, word.payload)
        return m

    def _tell(self, m: Module, place: int, beat: Any, word: Any) -> None:
        """Show what a stream has in the phase in which the word came, or what the word says."""
        if "told" not in self.signature.members:
            for name, fields in (("tid", ("source", "sum")), ("tlast", ("end_of_round",))):
                known = [word[field] for field in fields if field in word.shape().members]
                if known and hasattr(beat, name):
                    m.d.comb += getattr(beat, name).eq(known[0])
            return
        phase = self.phase if self._always_ready else word.phase
        told = [getattr(beat, name) for name in ("tid", "tlast") if hasattr(beat, name)]
        m.d.comb += Cat(told).eq(self.told[place].word_select(phase, self._bits))
