"""The scripts of build/: boards are built for, loaded and watched, or it is said why not."""

import importlib
import os
import shlex
import sys
import threading
import tty
from pathlib import Path

import pytest

REPORT = "arbornoc a\r\nround {} cycles 6 sent 5 right 4 wrong 0 missing 0 extra 0\r\n{}\r\n"


@pytest.fixture
def watch(monkeypatch):
    """The script that reads a board, and a serial line with its other end."""
    monkeypatch.syspath_prepend(str(Path(__file__).parent.parent / "build"))
    script = importlib.import_module("watch")
    board_side, here = os.openpty()
    tty.setraw(here)
    yield script, board_side, os.ttyname(here)
    os.close(here)


def test_a_serial_line_is_watched(capsys, watch) -> None:
    script, board_side, device = watch
    for verdicts, status in ((("PASS", "PASS"), 0), (("PASS", "FAIL"), 1)):
        text = "".join(REPORT.format(number, verdict) for number, verdict in enumerate(verdicts))
        os.write(board_side, text.encode())
        assert script.watch(device, rounds=2, header="arbornoc a") == status
        assert capsys.readouterr().out == text.replace("\r", "")


def test_reports_of_a_chip_that_waits_do_not_count(watch) -> None:
    script, board_side, device = watch
    report = REPORT.rpartition("{}")[0] + "silent 0 stream 1\r\nchip_1 down 0 faulty 0\r\n{}\r\n"
    verdicts = "WAIT", "WAIT", "PASS"
    os.write(board_side, "".join(map(report.format, range(3), verdicts)).encode())
    assert script.watch(device, rounds=1) == 0
    os.write(board_side, report.format(4, "WAIT").encode())
    with pytest.raises(script.UnreadableError, match="waits for other boards"):
        script.watch(device, rounds=1, silence=0.3)


def test_a_board_that_cannot_be_watched_is_told(tmp_path: Path, watch) -> None:
    script, board_side, device = watch

    def why(*arguments, **options) -> str:
        with pytest.raises(script.UnreadableError) as refused:
            script.watch(*arguments, **options)
        return str(refused.value)

    assert "no report came" in why(device, silence=0.01)
    # A line on which something else talks.
    stop = threading.Event()
    talk = threading.Thread(target=_talk, args=(board_side, stop))
    talk.start()
    try:
        assert "no report came" in why(device, silence=0.3)
    finally:
        stop.set()
        talk.join()
    os.write(board_side, b"\n" + (REPORT.format(1, "PASS") + REPORT.format(2, "PASS")).encode())
    assert why(device, header="arbornoc b").endswith("what was built: arbornoc b")
    assert "none: No such file or directory" in why(str(tmp_path / "none"))
    (tmp_path / "file").write_text("")
    assert "is no serial line" in why(str(tmp_path / "file"))
    os.mkfifo(tmp_path / "pipe")
    assert "is no serial line" in why(str(tmp_path / "pipe"))
    # It is pulled out while somebody watches.
    os.write(board_side, b"arbor")
    os.close(board_side)
    assert why(device).startswith(f"{device}: ")


def _talk(line: int, stop: threading.Event) -> None:
    while not stop.wait(0.02):
        os.write(line, b"hello\n")


@pytest.fixture
def no_serial_lines(monkeypatch) -> None:
    """A system on which Python lacks them, and the scripts as they are read in there."""
    for module in ("termios", "tty"):
        monkeypatch.setitem(sys.modules, module, None)
    for module in ("run", "watch"):
        monkeypatch.delitem(sys.modules, module, raising=False)


@pytest.fixture
def scripted(tmp_path: Path, monkeypatch, cli):
    """The script that builds and loads, in a folder of its own; and where its loader writes."""
    monkeypatch.syspath_prepend(str(Path(__file__).parent.parent / "build"))
    script = importlib.import_module("run")
    monkeypatch.setattr(script, "HERE", tmp_path / "build")
    loader, loaded = tmp_path / "bin" / "openFPGALoader", tmp_path / "loaded"
    loader.parent.mkdir()
    loader.write_text(f'#!/bin/sh\necho "$@" >> {loaded}\n')
    loader.chmod(0o755)
    monkeypatch.setenv("PATH", str(loader.parent), prepend=":")

    def call(*arguments: str, status: int = 0) -> str:
        ended, _, err = cli.script(script.main, "run.py", *arguments)
        assert ended == status, err
        return str(err)

    return call, loaded


@pytest.mark.ci
def test_a_project_that_was_made_is_loaded(tmp_path: Path, scripted) -> None:
    call, loaded = scripted
    asked = ("ARTY_A7_35", "star:3", "--width", "8", "--load")
    assert "first make the bitstream: cd " in call(*asked, status=2)
    # Vivado leaves much more than this, which noc build would not replace.
    (tmp_path / "out" / "arty_a7_35" / "selftest.bit").write_text("")
    call(*asked)
    assert loaded.read_text() == "-b arty_a7_35t selftest.bit\n"
    # It is not what is asked for here.
    for other in (("--clock", "25"), ("--sources", "one"), ("--width", "9")):
        assert "did not write selftest.bit there; move that away" in call(*asked, *other, status=2)
    assert len(loaded.read_text().splitlines()) == 1


@pytest.mark.ci
def test_edited_files_are_replaced_only_if_that_is_asked_for(tmp_path: Path, scripted) -> None:
    call, _ = scripted
    asked = ("arty_a7_35", "star:3", "--width", "8")
    call(*asked)
    script = tmp_path / "out" / "arty_a7_35" / "build_selftest.sh"
    written = script.read_text()
    script.write_text("exit 1\n")
    assert call(*asked, status=2).endswith(
        f"-o {script.parent}: build_selftest.sh changed since noc build wrote it; move that away, "
        "choose another folder, or lose it with --discard-edits\n"
    )
    assert script.read_text() == "exit 1\n"
    call(*asked, "--discard-edits")
    assert script.read_text() == written


@pytest.mark.ci
def test_the_command_that_makes_a_bitstream_can_be_copied(
    tmp_path: Path, scripted, monkeypatch
) -> None:
    call, _ = scripted
    monkeypatch.setattr(sys.modules["run"], "HERE", tmp_path / "my boards" / "build")
    (tmp_path / "my boards").mkdir()
    told = call("arty_a7_35", "star:3", "--width", "8", "--load", status=2)
    shown = told.partition("bitstream: ")[2].partition(" (see")[0]
    folder = str(tmp_path / "my boards" / "out" / "arty_a7_35")
    assert shlex.split(shown) == ["cd", folder, "&&", "sh", "build_selftest.sh"]


@pytest.mark.ci
def test_a_project_of_another_graph_is_not_loaded(tmp_path: Path, scripted) -> None:
    call, loaded = scripted
    path = tmp_path / "g.json"
    asked = ("arty_a7_35", f"file:{path}", "--width", "8", "--load")
    path.write_text('{"nodes": 2, "links": [{"from": 0, "to": 1}]}')
    call(*asked, status=2)
    (tmp_path / "out" / "arty_a7_35" / "selftest.bit").write_text("")
    path.write_text('{"nodes": 3, "links": [{"from": 0, "to": 1}, {"from": 1, "to": 2}]}')
    call(*asked, status=2)
    assert not loaded.exists()
    path.write_text('{"nodes": 2, "links": [{"from": 1, "to": 0}]}')
    call(*asked)


def test_what_is_refused_leaves_no_folder(tmp_path: Path, scripted) -> None:
    call, _ = scripted
    for arguments in (("star:99",), ("--width", "2"), ("star:3", "--width", "600")):
        assert "error: " in call("icebreaker", *arguments, status=2)
        assert [path.name for path in tmp_path.iterdir()] == ["bin"]


def test_what_cannot_be_loaded_or_watched_is_not_built(
    tmp_path: Path, scripted, monkeypatch
) -> None:
    call, _ = scripted
    monkeypatch.setattr("shutil.which", lambda _: None)
    for arguments, message in (
        (["ulx3s_85f", "--load"], "--load: openFPGALoader is missing"),
        (["de10_nano", "--load"], "--load: quartus_pgm is missing; install the vendor's tools"),
        (["ulx3s_85f", "--watch", "/dev/none"], "--watch /dev/none: is not there"),
        (["ulx3s_85f", "--clock", "nan"], "'nan': from 1 to 1000 MHz are allowed"),
        (["ulx3s"], "invalid choice: 'ulx3s'"),
    ):
        err = call(*arguments, status=2)
        assert (message in err, err.count("\n")) == (True, 1)
    assert [path.name for path in tmp_path.iterdir()] == ["bin"]


@pytest.mark.ci
def test_without_serial_lines_only_watching_is_refused(no_serial_lines, scripted) -> None:
    del no_serial_lines
    call, _ = scripted
    call("arty_a7_35", "star:3", "--width", "8")
    err = call("ulx3s_85f", "--watch", "/dev/null", status=2)
    assert "--watch /dev/null: is read by Python's termios, which this system lacks" in err
    assert err.count("\n") == 1
