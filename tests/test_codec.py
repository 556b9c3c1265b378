"""What is written is read back equal, and whatever else a document holds is told in one line."""

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest

from noc.design import AnyDesign, build_design
from noc.emit.folder import write
from noc.errors import InputError
from noc.programs.codec import FLAG, TEXT, Key, choice, listed, maybe, named, record, whole
from noc.verify.folder import read_folder
from noc.verify.streams import interface

PAIR = record(dict, {"first": whole(1, 3), "second": Key(TEXT, usual="none")})

DESIGNS: dict[str, AnyDesign] = {
    "direct": build_design("star:3", fabric="direct", width=8),
    "operations": build_design(
        "star:3", operations=["send", "all_reduce:sum@some"], groups={"some": ["123", "231"]}
    ),
}


@pytest.mark.parametrize(
    ("form", "value", "text"),
    [
        (whole(2), 2, "2"),
        (maybe(FLAG, -1), -1, "null"),
        (choice({"up": 1, "down": 0}), 0, '"down"'),
        (listed(whole(), 2), (3, 4), "[3, 4]"),
        (named(TEXT, FLAG), {"a": True}, '{"a": true}'),
        (PAIR, {"first": 1, "second": "none"}, '{"first": 1}'),
        (PAIR, {"first": 1, "second": "two"}, '{"first": 1, "second": "two"}'),
    ],
)
def test_a_value_is_written_and_read_back(form, value, text: str) -> None:
    assert json.dumps(form.write(value)) == text
    assert form.read(json.loads(text)) == value


@pytest.mark.parametrize(
    ("form", "value", "message"),
    [
        (whole(1), True, "must be a whole number from 1, not True"),
        (whole(0, 3), 4, "must be a whole number from 0 to 3, not 4"),
        (TEXT, 1, "must be text, not 1"),
        (choice({"up": 1}), ["up"], "must be one of up, not ['up']"),
        (listed(FLAG), {}, "must be a list, not {}"),
        (listed(FLAG, 2), [True], "must be a list of 2, not [True]"),
        (PAIR, [], "must be an object, not []"),
        (PAIR, {}, "first is missing"),
        (listed(named(TEXT, PAIR)), [{"a": {"first": 9}}], "[0].a.first: must be a whole number"),
        (
            record(lambda twice: twice, {"twice": Key(whole(), lambda made: 2 * (made // 2))}),
            {"twice": 3},
            "twice: must be 2, not 3",
        ),
    ],
)
def test_what_cannot_be_is_told_with_its_path(form, value, message: str) -> None:
    with pytest.raises(InputError) as refusal:
        form.read(value)
    assert str(refusal.value).startswith(message)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of everything within a document."""
    inside = value.items() if isinstance(value, dict) else enumerate(value)
    for key, each in inside:
        yield (*path, key)
        if isinstance(each, dict | list):
            yield from places(each, (*path, key))


@pytest.mark.cases(2, ci=0)
@pytest.mark.parametrize("name", DESIGNS)
@pytest.mark.parametrize("file", ["manifest.json", "program.json"])
def test_anything_anywhere_in_a_folder_is_read_or_told_in_one_line(name, file, tmp_path) -> None:
    write(DESIGNS[name], tmp_path / "out")
    path = tmp_path / "out" / file
    document = json.loads(path.read_text())
    # What the reader has no use for.
    for key in {"arcs", "benches", "certificate", "generator", "latency"} & document.keys():
        del document[key]
    refusals: list[str] = []
    for number, place in enumerate(places(document)):
        spoilt = copy.deepcopy(document)
        *way, last = place
        owner = spoilt
        for step in way:
            owner = owner[step]
        if number % 2:
            del owner[last]
        else:
            owner[last] = [None, -1, "x", [[]], {"a": 1}, True, 10**30][number % 7]
        path.write_text(json.dumps(spoilt))
        try:
            folder = read_folder(tmp_path / "out")
            interface(folder.manifest, folder.design)
        except InputError as error:
            refusals.append(str(error))
    assert len(refusals) > number // 2
    assert [each for each in refusals if "\n" in each or "cannot be read" in each] == []
