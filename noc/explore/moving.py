"""A moving picture: a few words that move through a network, as SVG that any page can show."""

from collections.abc import Iterator
from html import escape

import numpy as np
import numpy.typing as npt

from noc.design import AnyDesign
from noc.errors import InputError, option
from noc.explore.recording import OUTSIDE, Recording, Stream
from noc.layouts import lay_out
from noc.model import Traffic

Points = npt.NDArray[np.float64]

#: Of more words and nodes nobody can keep track.
MOST_WORDS, MOST_NODES = 4, 130

#: Seconds of a cycle, and of the rest at the end.
_CYCLE, _REST = 0.75, 3.0

#: Pixels between neighbouring nodes, beside them all, and the radii of a node and a word.
_UNIT, _MARGIN, _NODE, _WORD = 84, 44, 19, 8

#: Words differ in colour, in shape, and in where a node has its mark of them.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7")

#: Around (0, 0), as wide as a circle of radius 1 seems to be.
_SHAPES = (
    "M-1 0a1 1 0 1 0 2 0a1 1 0 1 0 -2 0z",
    "M-.88 -.88h1.76v1.76h-1.76z",
    "M0 -1.15L1.1 .85H-1.1z",
    "M0 -1.2L1.2 0L0 1.2L-1.2 0z",
)

_STYLE = """\
text {{ font: 12px system-ui, sans-serif; text-anchor: middle; fill: #1f2328 }}
.link {{ fill: none; stroke: #8c959f; stroke-width: 1.5 }}
.head {{ fill: #8c959f }}
.node {{ fill: #f6f8fa; stroke: #59636e; stroke-width: 1.5 }}
.word {{ opacity: 0; animation: move {whole}s linear infinite; offset-rotate: 0deg }}
.mark {{ animation: {whole}s linear infinite }}
.cycle {{ opacity: 0; animation: {whole}s step-end infinite }}
@keyframes move {{
0% {{ opacity: 1; offset-distance: 0% }}
{moved}% {{ opacity: 1; offset-distance: 100% }}
{gone}%, 100% {{ opacity: 0; offset-distance: 100% }}
}}
{frames}
@media (prefers-color-scheme: dark) {{
text {{ fill: #e6edf3 }}
.node {{ fill: #161b22; stroke: #9198a1 }}
.link {{ stroke: #6e7681 }}
.head {{ fill: #6e7681 }}
}}
@media (prefers-reduced-motion: reduce) {{
.word, .mark, .cycle {{ animation: none }}
.last {{ opacity: 1 }}
}}"""


def few_words(design: AnyDesign, count: int | None = None) -> Traffic:
    """Words of nodes that lie apart, each offered at once; without a number one or three of them.

    With one source at a time there is one word.
    """
    if not design.operations.only_broadcast:
        raise InputError(
            f"{option('operations')}: a moving picture shows broadcasts; a page (.html) shows all "
            "operations"
        )
    if design.operators:
        raise InputError(
            f"{option('exchange')}: a moving picture shows words as they are given; a page (.html) "
            "shows sums"
        )
    sources = design.program.sources
    most = 1 if design.sources == "one" else len(sources)
    count = min(3, most) if count is None else count
    if not 1 <= count <= most:
        raise InputError(
            f"{option('words', count)}: 1 to {most} words, one of a node, can be shown here"
        )
    chosen = np.linspace(0, len(sources) - 1, count).astype(int)
    return Traffic(
        source=np.array(sources, dtype=np.int64)[chosen],
        release=np.zeros(count, dtype=np.int64),
        ready=np.ones((1, design.network.nodes), dtype=bool),
    )


def build_picture(design: AnyDesign, recording: Recording) -> str:
    """The text of the file, which shows what the cycle model did."""
    network, sources = design.network, recording.words["source"]
    if len(sources) > MOST_WORDS:
        raise InputError(
            f"{option('words')}: a moving picture shows at most {MOST_WORDS} words, not "
            f"{len(sources)}; a page (.html) shows them all"
        )
    if network.nodes > MOST_NODES:
        raise InputError(
            f"SPEC {network.spec}: a moving picture shows at most {MOST_NODES} nodes; a page "
            "(.html) shows more"
        )
    return "\n".join([*_Picture(design, recording).lines(), ""])


class _Picture:
    """The positions and times of everything."""

    def __init__(self, design: AnyDesign, recording: Recording) -> None:
        self._design, self._network, self._recording = design, design.network, recording
        self._layout = lay_out(design.network)
        self._at = self._on_sheet(self._layout.place)
        self._size = self._at.max(axis=0) + np.array([_MARGIN, _MARGIN + 22])
        self._whole = _CYCLE * recording.cycles + _REST
        count = len(recording.words["source"])
        self._count = "A word" if count == 1 else f"{count} words"

    def _on_sheet(self, points: Points) -> Points:
        return self._layout.on_sheet(points) * _UNIT + _MARGIN

    def _share(self, cycles: float) -> float:
        """Of the whole time, in percent."""
        return round(100 * _CYCLE * cycles / self._whole, 2)

    def _way(self, node: int, port: int) -> str:
        """The path of a link, from the middle of one node to that of the other."""
        begin, middle, end = (
            f"{x:.1f} {y:.1f}" for x, y in self._on_sheet(self._layout.curve(node, port))
        )
        return f"M{begin}Q{middle} {end}" if self._layout.bend[node, port] else f"M{begin}L{end}"

    def lines(self) -> Iterator[str]:
        """The file, line by line."""
        width, height = self._size.tolist()
        spec = escape(self._network.spec)
        yield (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
            f'width="{width:.0f}" role="img" aria-labelledby="title about">'
        )
        yield f'<title id="title">{self._count} through {spec}</title>'
        senders = escape(", ".join(map(self._network.label, self._recording.words["source"])))
        yield (
            f'<desc id="about">{self._count} from {senders} in {self._recording.cycles} '
            "clock cycles; each node has a mark for each word that it has received.</desc>"
        )
        yield f"<style>\n{self._style()}\n</style>"
        yield from self._links()
        # Words come out of a node and vanish in the next.
        yield from self._words()
        yield from self._nodes()
        yield from self._marks()
        yield from self._cycles(width / 2, height - 12)
        yield "</svg>"

    def _style(self) -> str:
        frames = []
        for cycle in range(self._recording.cycles + 1):
            begin, end = self._share(cycle), self._share(cycle + 1)
            last = cycle == self._recording.cycles
            rest = "" if last else f" {end}% {{ opacity: 0 }}"
            hidden = f"0% {{ opacity: 0 }} {begin}%" if begin else "0%"
            frames.append(f"@keyframes c{cycle} {{ {hidden} {{ opacity: 1 }}{rest} }}")
            frames.append(
                f"@keyframes m{cycle} {{ 0%, {begin}% {{ opacity: 0 }} {begin + 0.01:.2f}%, 99% "
                "{ opacity: 1 } 100% { opacity: 0 } }"
            )
        moved = self._share(0.9)
        return _STYLE.format(
            whole=self._whole, moved=moved, gone=round(moved + 0.01, 2), frames="\n".join(frames)
        )

    def _links(self) -> Iterator[str]:
        """Each link once, though many lead both ways; those of one way have a head."""
        for node, port, back in self._layout.lines():
            yield f'<path class="link" d="{self._way(node, port)}"/>'
            if not back:
                begin, middle, end = self._on_sheet(self._layout.curve(node, port))
                x, y = (begin + 2 * middle + end) / 4
                turn = np.degrees(np.arctan2(*(end - begin)[::-1]))
                yield (
                    f'<path class="head" d="M8 0L-5 6V-6z" '
                    f'transform="translate({x:.1f} {y:.1f}) rotate({turn:.1f})"/>'
                )

    def _nodes(self) -> Iterator[str]:
        for node, (x, y) in enumerate(self._at.tolist()):
            label = escape(self._network.label(node))
            yield f'<circle class="node" cx="{x:.1f}" cy="{y:.1f}" r="{_NODE}"/>'
            yield f'<text x="{x:.1f}" y="{y - 2:.1f}">{label}</text>'

    def _shape(self, word: int, radius: float, x: float = 0, y: float = 0) -> str:
        move = f"translate({x:.1f} {y:.1f}) scale({radius})" if x or y else f"scale({radius})"
        return f'<path d="{_SHAPES[word]}" transform="{move}" fill="{_COLOURS[word]}"/>'

    def _marks(self) -> Iterator[str]:
        """A mark in a node for each word that it has, from the cycle in which it gets it."""
        count = len(self._recording.words["source"])
        for stream, cycle, word in self._moves():
            if OUTSIDE not in (stream.sender, stream.receiver):
                continue
            x, y = self._at[max(stream.sender, stream.receiver)].tolist()
            x += (word - (count - 1) / 2) * 9
            when = cycle if stream.kind == "inject" else cycle + 1
            shape = self._shape(word, 3.4, x, y + 9)
            yield f'<g class="mark" style="animation-name: m{when}">{shape}</g>'

    def _words(self) -> Iterator[str]:
        for stream, cycle, word in self._moves():
            if OUTSIDE in (stream.sender, stream.receiver) or stream.sender == stream.receiver:
                continue
            way, delay = self._way(stream.sender, stream.port), round(_CYCLE * cycle, 2)
            yield (
                f'<g class="word" style="offset-path: path(\'{way}\'); animation-delay: '
                f'{delay}s">{self._shape(word, _WORD)}</g>'
            )

    def _moves(self) -> Iterator[tuple[Stream, int, int]]:
        """Of every transfer its stream, cycle and word."""
        recording = self._recording
        columns = recording.stream, recording.cycle, recording.word
        for stream, cycle, word in np.column_stack(columns).tolist():
            yield recording.streams[stream], cycle, word

    def _cycles(self, x: float, y: float) -> Iterator[str]:
        last = self._recording.cycles
        shown = [("cycle", f"cycle {cycle}") for cycle in range(last)]
        for cycle, (kind, text) in enumerate([*shown, ("cycle last", f"{last} cycles")]):
            yield (
                f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" '
                f'style="animation-name: c{cycle}">{text}</text>'
            )
