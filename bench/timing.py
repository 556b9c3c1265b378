"""Timing diagrams for the pages in docs/, of what the hardware does: python bench/timing.py.

Amaranth's simulator runs a small network; its streams are drawn cycle by cycle.
"""

import tomllib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import svg
from amaranth.sim import Simulator

from noc.design import AnyDesign, build_design
from noc.hardware import BroadcastNetwork

FILE = Path(__file__).parent / "pictures" / "timing.toml"

#: Pixels: of the names, a cycle, a row, the gap between two streams, from a row to its wave's upper
#: end, and the wave's height.
NAMES, CYCLE, ROW, GAP, UPPER, HEIGHT = 130, 38, 24, 8, 3, 16


#: What a signal is in each cycle: a bit, or the text of a word and whether it is transferred.
Wave = list[Any]

PARTS = ("valid", "ready", "word")


@dataclass(frozen=True)
class Scene:
    """What a diagram shows.

    ``shown`` names streams and outputs; ``words``, each with the cycle from which on it is given,
    are by node; ``resting`` are cycles in which the sink of a node is not ready.
    """

    title: str
    description: str
    design: AnyDesign
    shown: list[str]
    cycles: int
    words: dict[str, list[tuple[int, Any]]]
    resting: dict[str, range] = field(default_factory=dict)


def scenes() -> dict[str, Scene]:
    """Every diagram by name."""
    result = {}
    for name, entry in tomllib.loads(FILE.read_text(encoding="utf-8")).items():
        design = build_design(entry.pop("network"), **entry.pop("options"))
        resting = {node: range(*ends) for node, ends in entry.pop("resting", {}).items()}
        result[name] = Scene(design=design, resting=resting, **entry)
    return result


def draw() -> dict[str, str]:
    """Every diagram by name, of what is simulated now."""
    return {name: _draw(scene, simulate(scene)) for name, scene in scenes().items()}


def simulate(scene: Scene) -> dict[str, Wave]:
    """The waves of what is shown, by name."""
    dut: Any = BroadcastNetwork(scene.design)
    waves: dict[str, Wave] = defaultdict(list)

    async def bench(ctx: Any) -> None:
        left = {node: list(words) for node, words in scene.words.items()}
        for cycle in range(scene.cycles):
            for name in dut.names:
                rests = cycle in scene.resting.get(name, ())
                ctx.set(getattr(dut, f"eject_{name}").ready, not rests)
            for name, words in left.items():
                inject = getattr(dut, f"inject_{name}")
                ctx.set(inject.valid, bool(words) and words[0][0] <= cycle)
                if words:
                    ctx.set(inject.payload, words[0][1])
            for name in scene.shown:
                for signal, value in _look(ctx, name, getattr(dut, name)):
                    waves[signal].append(value)
            for name, words in left.items():
                inject = getattr(dut, f"inject_{name}")
                if ctx.get(inject.valid & inject.ready):
                    words.pop(0)
            await ctx.tick()

    simulator: Any = Simulator(dut)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    return waves


def _look(ctx: Any, name: str, port: Any) -> Iterator[tuple[str, Any]]:
    """The signals of an output or a stream now."""
    if name == "idle":
        yield name, ctx.get(port)
        return
    valid, ready, payload = (ctx.get(part) for part in (port.valid, port.ready, port.payload))
    data = payload if isinstance(payload, int) else payload.data
    # Without a word, the payload has no meaning.
    word = (str(data), bool(ready)) if valid else None
    yield from zip((f"{name} {part}" for part in PARTS), (valid, ready, word), strict=True)


def _draw(scene: Scene, waves: dict[str, Wave]) -> str:
    width = NAMES + scene.cycles * CYCLE + 16
    body = svg.label(16, 24, scene.title, anchor="start", kind="soft")
    tops = list(_tops(waves))
    body += "".join(_grid(scene.cycles, tops[-1] + ROW))
    for (name, wave), top in zip(waves.items(), tops, strict=True):
        body += svg.label(NAMES - 10, top + 16, name, anchor="end")
        body += "".join(_words(wave, top)) if name.endswith(" word") else _levels(wave, top)
    return svg.document(width, tops[-1] + ROW + 14, scene.title, scene.description, body)


def _tops(waves: dict[str, Wave]) -> Iterator[int]:
    """Where each row begins; between two streams is a gap."""
    top = 44
    for name in waves:
        top += GAP * (name == "idle" or name.endswith(PARTS[0]))
        yield top
        top += ROW


def _grid(cycles: int, bottom: int) -> Iterator[str]:
    """A line at the begin of each cycle, which has its number above."""
    for cycle in range(cycles + 1):
        x = NAMES + cycle * CYCLE
        yield f'<path class="thin" d="M{x} 46V{bottom + 4}"/>\n'
        if cycle < cycles:
            yield svg.label(x + CYCLE / 2, 42, str(cycle), kind="soft")


def _levels(bits: Any, top: int) -> str:
    """A line that is up while the signal is 1."""
    path = ""
    for cycle, bit in enumerate(bits):
        y = top + UPPER + (0 if bit else HEIGHT)
        path += f"{'L' if path else 'M'}{NAMES + cycle * CYCLE} {y}h{CYCLE}"
    return f'<path class="ink" d="{path}"/>\n'


def _words(words: Any, top: int) -> Iterator[str]:
    """A box for each cycle in which a word is offered; where it is transferred it is filled."""
    for cycle, word in enumerate(words):
        if word is not None:
            text, moves = word
            x, kind = NAMES + cycle * CYCLE, "mark" if moves else "box"
            yield svg.box(x + 1, top + UPPER, CYCLE - 2, HEIGHT, kind)
            yield svg.label(x + CYCLE / 2, top + UPPER + 13, text)


if __name__ == "__main__":
    svg.write(draw())
