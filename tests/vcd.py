"""A small reader of VCD files: names by scope, and values at every rising edge of a clock."""

from collections.abc import Iterator
from pathlib import Path


def names(path: Path) -> dict[tuple[str, ...], str]:
    """For every signal, by its scopes and its name, the mark that stands for it."""
    return {name: mark for name, mark, _ in declared(path)}


def declared(path: Path) -> Iterator[tuple[tuple[str, ...], str, int]]:
    """For every signal its scopes and its name, the mark that stands for it, and its bits."""
    scopes: list[str] = []
    for line in path.read_text().splitlines():
        words = line.split()
        if words[:1] == ["$scope"]:
            scopes.append(words[2])
        elif words[:1] == ["$upscope"]:
            scopes.pop()
        elif words[:1] == ["$var"]:
            yield (*scopes, words[4]), words[3], int(words[2])
        elif words[:1] == ["$enddefinitions"]:
            break


def rising(path: Path, clock: str) -> Iterator[dict[str, int]]:
    """The value of every mark just before each rising edge of the clock."""
    text = path.read_text().partition("$enddefinitions")[2]
    value, fresh = {}, {}
    for line in [*text.splitlines()[1:], "#end"]:
        if line.startswith("#"):
            if fresh.get(clock) == 1 and value.get(clock) == 0:
                yield value.copy()
            value.update(fresh)
            fresh = {}
        elif line.startswith("b"):
            bits, mark = line[1:].split()
            fresh[mark] = int(bits.replace("x", "0").replace("z", "0"), 2)
        elif line[:1] in "01xz" and line:
            fresh[line[1:]] = int(line[0] == "1")
