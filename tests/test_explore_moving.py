"""Moving pictures: every transfer of the model on a link is a word that moves there, then."""

import re
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import pytest

from noc.cli import main
from noc.design import AnyDesign, build_design
from noc.explore import moving
from noc.explore.runs import record
from noc.layouts import lay_out
from noc.networks import from_edges

SVG = "{http://www.w3.org/2000/svg}"

DESIGNS = {
    "ordered": lambda: build_design("star:4"),
    "arcs": lambda: build_design("torus:4,4", sources=["0.0", "1.2"]),
    "direct": lambda: build_design("uhc:3", "bt1", sources="one"),
    "odd names": lambda: build_design(from_edges([("a<b", "b&c"), ("b&c", '"d"')])),
}


def drawn(design: AnyDesign) -> tuple[ElementTree.Element, object]:
    recording = record(design, moving.few_words(design))
    return ElementTree.fromstring(moving.build_picture(design, recording)), recording


def style(element: ElementTree.Element) -> dict[str, str]:
    return dict(part.split(": ", 1) for part in element.attrib["style"].split("; "))


@pytest.fixture(params=DESIGNS)
def design(request: pytest.FixtureRequest) -> AnyDesign:
    return DESIGNS[request.param]()


def nodes_at(picture: ElementTree.Element, design: AnyDesign) -> dict[tuple[str, str], int]:
    circles = picture.findall(f"{SVG}circle")
    assert len(circles) == design.network.nodes
    return {(c.attrib["cx"], c.attrib["cy"]): node for node, c in enumerate(circles)}


def colour_of(group: ElementTree.Element) -> str:
    return group[0].attrib["fill"]


def test_words_move_where_and_when_the_model_moves_them(design: AnyDesign) -> None:
    picture, recording = drawn(design)
    places = nodes_at(picture, design)
    seen: Counter[tuple[int, int, float, str]] = Counter()
    for group in picture.findall(f"{SVG}g[@class='word']"):
        about = style(group)
        numbers = re.findall(r"-?[\d.]+", about["offset-path"])
        ends = places[tuple(numbers[:2])], places[tuple(numbers[-2:])]
        seen[(*ends, float(about["animation-delay"].removesuffix("s")), colour_of(group))] += 1
    wanted: Counter[tuple[int, int, float, str]] = Counter()
    for number, cycle, word in zip(
        recording.stream.tolist(), recording.cycle.tolist(), recording.word.tolist(), strict=True
    ):
        stream = recording.streams[number]
        if stream.kind in ("up", "down", "link"):
            begin = round(cycle * 0.75, 2)
            wanted[stream.sender, stream.receiver, begin, moving._COLOURS[word]] += 1
    assert seen == wanted
    assert sum(wanted.values()) >= design.network.nodes - 1


def test_each_node_has_a_mark_for_each_word_from_when_it_has_it(design: AnyDesign) -> None:
    picture, recording = drawn(design)
    marks = Counter(
        (style(group)["animation-name"], colour_of(group))
        for group in picture.findall(f"{SVG}g[@class='mark']")
    )
    wanted = Counter()
    for number, cycle, word in zip(
        recording.stream.tolist(), recording.cycle.tolist(), recording.word.tolist(), strict=True
    ):
        kind = recording.streams[number].kind
        if kind in ("inject", "eject"):
            wanted[f"m{cycle + (kind == 'eject')}", moving._COLOURS[word]] += 1
    assert marks == wanted
    # A sender has its own word, and everybody else receives it.
    assert sum(marks.values()) == design.network.nodes * len(recording.words["source"])


def test_frames_are_there_for_all_that_names_them(design: AnyDesign) -> None:
    picture, recording = drawn(design)
    text = picture.find(f"{SVG}style").text
    named = {
        style(each)["animation-name"]
        for each in picture.iter()
        if "animation-name" in str(each.attrib)
    }
    assert named <= set(re.findall(r"@keyframes (\w+)", text))
    assert {f"c{cycle}" for cycle in range(recording.cycles + 1)} <= named
    # Whoever has asked for no motion sees how it ends.
    assert "prefers-reduced-motion" in text


def test_every_link_is_drawn_once_and_names_are_text(design: AnyDesign) -> None:
    picture, _ = drawn(design)
    net = design.network
    two_way = {(a, b) for a in range(net.nodes) for b in net.neighbour[a].tolist() if b >= 0}
    bent = lay_out(net).bend.any()
    links = len(picture.findall(f"{SVG}path[@class='link']"))
    assert len({frozenset(link) for link in two_way}) <= links <= len(two_way)
    assert bent or links == len({frozenset(link) for link in two_way})
    heads = picture.findall(f"{SVG}path[@class='head']")
    assert len(heads) == sum(not back for *_, back in lay_out(net).lines())
    assert bool(heads) is not net.two_way
    labels = [text.text for text in picture.findall(f"{SVG}text") if "class" not in text.attrib]
    assert labels == [net.label(node) for node in range(net.nodes)]
    inside = [*picture.attrib, *(name for each in picture.iter() for name in each.attrib)]
    assert not any("href" in name or name.startswith("on") for name in inside)


def test_the_picture_of_the_readme_is_what_the_command_makes(tmp_path: Path, capsys) -> None:
    made = tmp_path / "broadcast.svg"
    assert main(["explore", "star:4", "-o", str(made)]) == 0
    kept = Path(__file__).parent.parent / "docs" / "broadcast.svg"
    assert made.read_text(encoding="utf-8") == kept.read_text(encoding="utf-8"), (
        "noc explore star:4 -o docs/broadcast.svg"
    )
    assert "words   3\ncycles  11\n" in capsys.readouterr().out
