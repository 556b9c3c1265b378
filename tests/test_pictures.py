"""The pictures of the documentation: drawn by their commands, told in words, read in any light."""

import importlib
import re
from pathlib import Path
from typing import IO
from xml.etree import ElementTree

import numpy as np
import pytest
import site_pages
from PIL import Image, ImageSequence

from noc.cli import main

ROOT = Path(__file__).parent.parent
PICTURES = ROOT / "docs" / "pictures"


@pytest.mark.parametrize("name", ["blocks", "fabrics", "timing"])
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


def drawn(picture: Path | IO[str]) -> tuple[list[str], int]:
    """The texts of a picture, and how many shapes: versions of the library place them apart."""
    parts = list(ElementTree.parse(picture).iter())
    texts = sorted(part.text for part in parts if part.tag.endswith("}text") and part.text)
    return texts, sum(part.tag.endswith("}path") for part in parts)


def frames(picture: Path) -> list[np.ndarray]:
    with Image.open(picture) as image:
        return [
            np.asarray(each.convert("RGB"), dtype=int) for each in ImageSequence.Iterator(image)
        ]


def assert_same(made: Path, kept: Path) -> None:
    """Compare pictures by what does not depend on the version of the library."""
    if kept.suffix == ".svg":
        assert drawn(made) == drawn(kept)
        return
    for one, other in zip(frames(made), frames(kept), strict=True):
        assert one.shape == other.shape
        assert (np.abs(one - other).max(axis=2) > 64).mean() < 0.01


@pytest.mark.ci
@pytest.mark.parametrize(("page", "folder"), [("examples.md", "trees"), ("draw.md", "draw")])
def test_pages_show_what_their_commands_draw(monkeypatch, tmp_path: Path, page, folder) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "bench"))
    commands = list(importlib.import_module("examples").commands(page))
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    shown = [ROOT / "docs" / path for path in re.findall(r"!\[[^]]+\]\(([^)]+)\)", text)]
    assert shown == [picture for _, picture in commands]
    assert set(shown) == set((PICTURES / folder).iterdir())
    for words, picture in commands:
        assert main([*words, "-o", str(tmp_path / picture.name)]) == 0
        assert_same(tmp_path / picture.name, picture)
