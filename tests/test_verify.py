"""`noc verify`: the comparison itself, its traffic, its errors, and a few whole verifications."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from noc.cli import main
from noc.design import design
from noc.emit.folder import write
from noc.emit.manifest import manifest
from noc.errors import InputError
from noc.model import simulate
from noc.networks import network
from noc.verify import mixture, run, verify
from noc.verify.compare import compare
from noc.verify.expected import _with_header, expected
from noc.verify.folder import read_folder
from noc.verify.stimulus import write_run
from noc.verify.streams import interface


@pytest.fixture(scope="module")
def star():
    made = design(network("star:3"), width=8)
    return made, interface(manifest(made, []), made.network)


@pytest.fixture(scope="module")
def records(star):
    made, found = star
    one = run(made, "full:half", words=2, cycles=None, seed=3)
    events = simulate(made.program, made.classes, one.traffic).events
    return expected(found, made.fabric, one.traffic, events)


def as_one(words):
    return sum(int(word) << (32 * place) for place, word in enumerate(words))


@given(st.integers(0, 2**70 - 1), st.integers(0, 12), st.data())
def test_a_header_lies_below_the_data(data, bits, draw):
    header = draw.draw(st.integers(0, 2**bits - 1))
    words = np.array([[data >> 32 * k & 0xFFFFFFFF for k in range(3)]], dtype=np.uint32)
    made = _with_header(words, np.array([header]), np.array([bits]), 3)
    assert as_one(made[0]) == data << bits | header


def test_equal_lists_have_no_mismatch(star, records):
    made, found = star
    assert compare(made.network, found, *records, records[0].copy()).mismatches == 0


def test_every_stream_has_expected_transfers(star, records):
    assert set(records[0][:, 1].tolist()) == set(range(len(star[1].streams)))


@pytest.mark.parametrize(
    ("spoil", "pattern"),
    [
        (lambda r: np.delete(r, 7, axis=0), r"^cycle \d+, node \d+, .*: expected word .*, got not"),
        (lambda r: np.insert(r, 7, [r[7, 0], 99, 5], axis=0), r"nothing, got 0x"),
        (lambda r: r + np.array([0, 0, 1 << 5], dtype=np.uint32), r"expected word \d+ 0x"),
    ],
)
def test_a_difference_is_told(star, records, spoil, pattern):
    made, found = star
    got = spoil(records[0])
    got[:, 1] %= len(found.streams)
    comparison = compare(made.network, found, *records, got)
    assert comparison.mismatches > 0
    assert re.search(pattern, comparison.first[0])


def test_a_cut_log_is_missing_transfers(star, records):
    made, found = star
    comparison = compare(made.network, found, *records, records[0][:0])
    assert comparison.mismatches == len(records[0])


def test_the_bench_reads_the_words_of_each_source_in_order(star, tmp_path):
    made, found = star
    one = run(made, "full", words=2, cycles=None, seed=1)
    write_run(tmp_path, 0, found, one.traffic, busy=5, end=9)
    assert (tmp_path / "0.first").read_text().split() == [f"{2 * k:x}" for k in range(7)]
    words = (tmp_path / "0.word").read_text().split()[:-1]
    order = np.argsort(one.traffic.source, kind="stable").tolist()
    assert [int(w, 16) for w in words] == [one.traffic.payload(k, 8) for k in order]


def test_a_mixture_has_each_source_alone_and_all_together(star):
    runs = mixture(star[0], words=None, cycles=None, seed=0)
    alone = runs[0].traffic
    assert sorted(alone.source.tolist()) == list(range(6))
    assert {one.name.partition(":")[0] for one in runs} >= {"single", "back-to-back", "full"}


def test_single_broadcasts_never_meet(star):
    alone = run(star[0], "single:rarely", words=None, cycles=None, seed=5)
    made = simulate(star[0].program, star[0].classes, alone.traffic)
    first = made.events.cycle[made.events.port == star[0].program.inject]
    assert first.tolist() == alone.traffic.release.tolist()
    words = made.events.word[np.argsort(made.events.cycle, kind="stable")]
    assert (np.diff(words) >= 0).all()


def test_one_source_at_a_time_has_no_traffic_of_many():
    made = design(network("star:3"), sources="one")
    with pytest.raises(InputError, match=r"^--traffic full: mixture, single, back-to-back are"):
        run(made, "full", words=1, cycles=None, seed=0)
    assert {one.name.partition(":")[0] for one in mixture(made, words=1, cycles=None, seed=0)} == {
        "single",
        "back-to-back",
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "SPEC or --verilog DIR is needed, and not both"),
        (["star:3", "--verilog", "x"], "SPEC or --verilog DIR is needed, and not both"),
        (["--verilog", "/nowhere"], "there is no readable manifest.json"),
        (["star:3", "--waves", "x.png"], "FILE.fst or FILE.vcd is needed"),
        (["star:3", "--traffic", "much"], "--traffic much: mixture, single"),
        (["star:3", "--traffic", "full:sometimes"], "the sinks are one of always"),
        (["star:3", "--words", "0"], "--words 0: at least 1 is needed"),
        (["star:3", "--keep", "/"], "--keep /: must be new or empty"),
        (["star:3", "--width", "0"], "from 1 to 512"),
    ],
)
def test_bad_arguments_are_one_line(arguments, message, capsys):
    assert main(["verify", *arguments]) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.err.count("\n") == 1
    assert not captured.out


@pytest.mark.parametrize("program", ["g++", "make", "perl"])
def test_a_missing_program_is_named(program, capsys, monkeypatch):
    which = shutil.which
    monkeypatch.setattr(
        shutil, "which", lambda name, **k: None if name == program else which(name, **k)
    )
    assert main(["verify", "star:3"]) == 2
    assert f"{program} is missing" in capsys.readouterr().err


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("written") / "uhc"
    write(design(network("uhc:2"), width=8, classes="colour"), folder)
    return folder


@pytest.fixture
def folder(written, tmp_path):
    return shutil.copytree(written, tmp_path / "uhc")


def spoil_manifest(folder, change):
    path = folder / "manifest.json"
    document = json.loads(path.read_text())
    change(document)
    path.write_text(json.dumps(document))


@pytest.mark.parametrize("method", ["height", "colour", "fold"])
def test_a_folder_is_read_with_the_classes_it_was_written_with(method, tmp_path):
    made = design(network("uhc:2"), classes=method, width=8)
    write(made, tmp_path / "out")
    found = read_folder(tmp_path / "out").design
    assert found.classes.method == method
    assert found.fabric.tables == made.fabric.tables


def test_a_folder_is_read(folder):
    found = read_folder(folder)
    assert found.design.network.spec == "uhc:2"
    assert {source.suffix for source in found.sources} == {".v"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.pop("width"), "width is missing"),
        (lambda d: d.pop("top"), "'top' is missing"),
        (lambda d: d.update(files=[]), "lists no Verilog files"),
        (lambda d: d["files"].append("none.v"), "there is no such file"),
        (lambda d: d["nodes"].pop(), "nodes are not those of uhc:2"),
        (lambda d: d["nodes"][0]["eject"].pop("ready"), "'ready' is missing"),
        (lambda d: d.update(sources="many"), "sources must be all or one"),
        (lambda d: d.update(network="uhc:99"), "uhc:99"),
    ],
)
def test_a_bad_folder_is_one_line(folder, change, message, capsys):
    spoil_manifest(folder, change)
    assert main(["verify", "--verilog", str(folder)]) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.err.count("\n") == 1


@pytest.mark.slow
def test_a_folder_is_verified_and_a_fault_in_it_found(folder, capsys):
    spoil_manifest(folder, lambda d: d.pop("links"))
    options = ["--verilog", str(folder), "--traffic", "full:half", "--words", "3", "--json"]
    assert main(["verify", *options]) == 0
    good = json.loads(capsys.readouterr().out)
    assert good["mismatches"] == 0
    assert good["compared"]["links"] == 0
    router = next(path for path in folder.glob("*.v") if "router" in path.name)
    router.write_text(re.sub(r"assign deliver = (.+);", "assign deliver = 0;", router.read_text()))
    assert main(["verify", *options]) == 1
    bad = json.loads(capsys.readouterr().out)
    assert bad["mismatches"] > 0
    assert bad["runs"][0]["first"][0].startswith("cycle")


@pytest.mark.slow
def test_verilog_that_does_not_compile_is_told(folder, capsys):
    (folder / "noc_uhc_2.v").write_text("module noc_uhc_2; nonsense")
    assert main(["verify", "--verilog", str(folder)]) == 1
    assert "verilator does not accept the Verilog" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("iverilog") is None, reason="Icarus is not installed")
@pytest.mark.parametrize("ports", ["all", "one"])
def test_icarus_agrees(ports, tmp_path):
    made = design(network("star:3"), ports=ports, width=8)
    one = run(made, "dense:half", words=5, cycles=None, seed=2)
    assert verify(made, [one], tmp_path, simulator="icarus").passed


@pytest.mark.slow
def test_the_benches_for_people_run():
    sim = Path(__file__).resolve().parent.parent / "sim" / "run.py"
    done = subprocess.run(
        [sys.executable, sim, "uhc:2", "--ports", "one"],
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout[-2000:]
    assert "TESTS=6 PASS=6 FAIL=0" in done.stdout
