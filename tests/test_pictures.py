"""The pictures of the documentation: drawn by their commands, told in words, read in any light."""

import importlib
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
import site_pages

from noc.cli import main

ROOT = Path(__file__).parent.parent
PICTURES = ROOT / "docs" / "pictures"


@pytest.mark.parametrize("name", ["blocks", "timing"])
def test_the_pictures_are_what_their_commands_draw(monkeypatch, name: str) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "bench"))
    for picture, drawn in importlib.import_module(name).draw().items():
        kept = (PICTURES / f"{picture}.svg").read_text(encoding="utf-8")
        assert kept == drawn, f"run bench/{name}.py"


def test_timing_shows_what_happens(monkeypatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "bench"))
    timing = importlib.import_module("timing")
    scene = timing.scenes()["timing_back_pressure"]
    waves = timing.simulate(scene)
    assert 0 in waves["inject_0 ready"]
    sent, *received = (
        [word[0] for word in waves[f"{port} word"] if word and word[1]] for port in scene.shown
    )
    # What is sent arrives at both nodes, in order; the last words are still under way.
    assert all(len(words) >= 10 and words == sent[: len(words)] for words in received)


@pytest.mark.parametrize("picture", sorted(PICTURES.glob("*.svg")), ids=lambda path: path.stem)
def test_pictures_are_told_in_words(picture: Path) -> None:
    tree = ElementTree.parse(picture).getroot()
    space = "{http://www.w3.org/2000/svg}"
    for part in ("title", "desc"):
        assert tree.findtext(f"{space}{part}"), part
    assert tree.get("role") == "img"


def test_pictures_are_read_on_light_and_on_dark(monkeypatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "bench"))
    light, dark = importlib.import_module("svg")._STYLE.split("@media")
    for style in (light, dark):
        fills = dict(re.findall(r"\.?(\w+)\{[^}]*?fill:(#\w+)", style))
        for text in ("text", "soft"):
            for ground in ("ground", "box", "mark", "own"):
                if (text, ground) != ("soft", "mark"):
                    assert site_pages.contrast(fills[text], fills[ground]) >= 4.5, (text, ground)


def drawn(picture: Path) -> tuple[list[str], int]:
    """The texts of a picture, and how many shapes: versions of the library place them apart."""
    parts = list(ElementTree.parse(picture).iter())
    texts = sorted(part.text for part in parts if part.tag.endswith("}text") and part.text)
    return texts, sum(part.tag.endswith("}path") for part in parts)


def test_the_trees_are_what_the_page_says(monkeypatch, tmp_path: Path) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "bench"))
    commands = list(importlib.import_module("examples").commands())
    page = (ROOT / "docs" / "examples.md").read_text(encoding="utf-8")
    shown = [ROOT / "docs" / path for path in re.findall(r"!\[[^]]+\]\(([^)]+)\)", page)]
    assert shown == [picture for _, picture in commands]
    assert set(shown) == set((PICTURES / "trees").glob("*.svg"))
    for words, picture in commands:
        assert main([*words, "-o", str(tmp_path / picture.name)]) == 0
        assert drawn(tmp_path / picture.name) == drawn(picture), "run bench/examples.py"
