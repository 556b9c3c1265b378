"""The output folder: complete, the same every time, written whole or not at all."""

import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
from folders import bench, change, generated, manifest_of
from helpers import printed, started

from noc.cli import main
from noc.design import build_design, build_direct
from noc.emit.folder import PLAIN, build_files, write
from noc.emit.manifest import build_manifest
from noc.emit.module import _plain_names
from noc.emit.replace import replace_folder
from noc.endpoints import AxiStream, Endpoints
from noc.networks import build_network

CLOCKED = Endpoints(AxiStream(packets="whole"), "each")


@pytest.mark.cases(2)
@pytest.mark.usefixtures("yosys_each_time")
@pytest.mark.parametrize(
    ("spec", "fabric", "endpoints"),
    [
        *(("uhc:2", "direct", PLAIN), ("hypercube:1", "ordered", CLOCKED)),
        ("hypercube:1", "direct", CLOCKED),
    ],
)
def test_the_folder_is_the_same_every_time(spec: str, fabric: str, endpoints: Endpoints) -> None:
    built = endpoints.widened(build_design(spec, fabric=fabric, width=8))
    first, second = (
        build_files(built, endpoints, one_file_per_module=endpoints != PLAIN) for _ in range(2)
    )
    assert first == second


# The texts of a folder with crossings, as one number. Of the same text in the format of Yosys the
# processes make one Verilog.
DIGEST = f"""
import hashlib, sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
import once
from noc.design import build_direct
from noc.emit import module
from noc.emit.folder import build_files
from noc.endpoints import AxiStream, Endpoints
from noc.networks import build_network
module.run_yosys = once.run_yosys
made = build_direct(build_network("star:3"), width=8)
for axi in (None, AxiStream()):
    for clocks in ("shared", "each"):
        files = build_files(made, Endpoints(axi, clocks), one_file_per_module=axi is not None)
        print(hashlib.sha256(repr(sorted(files.items())).encode()).hexdigest())
"""


@pytest.mark.ci
def test_the_folder_is_the_same_in_every_process() -> None:
    """With several clocks too, which Amaranth finds in sets."""
    assert len(printed(DIGEST, hash_seeds="123")) == 1


def test_the_manifest_names_what_is_there(tmp_path: Path) -> None:
    built = build_direct(build_network("scc:3"), width=8)
    known = write(built, tmp_path / "out")
    files = {str(path.relative_to(tmp_path / "out")) for path in (tmp_path / "out").rglob("*.*")}
    assert set(known["files"]) == files
    top = (tmp_path / "out" / f"{known['top']}.v").read_text()
    for node in known["nodes"]:
        for stream in ("inject", "eject"):
            signals = {name: text for name, text in node[stream].items() if name != "fields"}
            assert set(signals) == {"valid", "ready", "payload"}
            assert all(name in top for name in signals.values())
            assert [field["name"] for field in node[stream]["fields"]].count("data") == 1
    assert all(f"wire {link['valid']};" in top for link in known["links"])


@pytest.mark.cases(2)
@pytest.mark.parametrize(
    ("simulator", "has", "missing"),
    [
        ("verilator", ("verilator", "g++", "make"), "perl (Perl) is"),
        ("verilator", ("verilator",), "g++ (GNU C++) and make (GNU make) and perl (Perl) are"),
        ("icarus", ("iverilog",), "vvp (Icarus Verilog) is"),
    ],
)
def test_the_bench_names_what_is_missing(
    tmp_path: Path, simulator: str, has: tuple[str, ...], missing: str
) -> None:
    write(build_direct(build_network("hypercube:1"), width=4), tmp_path / "out")
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in has:
        (programs / name).write_text("#!/bin/sh\n")
        (programs / name).chmod(0o755)
    words, env = ("--simulator", simulator), {"PATH": str(programs)}
    done = bench(tmp_path / "out", "run.py", *words, status=2, env=env)
    assert (done.stdout, done.stderr.count("\n")) == ("", 1)
    assert done.stderr.startswith(f"run.py: error: {missing} missing: the simulator {simulator} ")


def test_the_bench_names_the_package_that_is_missing_before_it_builds(tmp_path: Path) -> None:
    endpoints = Endpoints(AxiStream())
    built = endpoints.widened(build_design(build_network("hypercube:1"), width=8))
    write(built, tmp_path / "out", endpoints)
    bench = str(tmp_path / "out" / "bench")
    program = (
        f"import runpy, sys; sys.modules['cocotb_tools'] = None; sys.path.insert(0, {bench!r}); "
        f"sys.argv = [{bench!r} + '/run.py']; runpy.run_path(sys.argv[0], run_name='__main__')"
    )
    done = started(sys.executable, "-c", program)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "run.py: error: cocotb_tools (pip install 'cocotb>=2.1,<3') is missing: "
        "--bench network and endpoints needs it\n"
    )


def test_the_bench_does_without_locks_where_there_are_none(tmp_path: Path, monkeypatch) -> None:
    write(build_direct(build_network("hypercube:1"), width=4), tmp_path / "out")
    bench = tmp_path / "out" / "bench"
    monkeypatch.syspath_prepend(bench)

    def build_folder():
        return runpy.run_path(str(bench / "folder.py"))["build_folder"]("icarus", "broadcast")

    with build_folder() as folder:
        with (
            pytest.raises(SystemExit, match=f"^another run of this bench is using {folder}$"),
            build_folder(),
        ):
            pass
        monkeypatch.setitem(sys.modules, "fcntl", None)
        with build_folder() as again:
            assert again == folder


def test_a_folder_for_a_path_with_spaces_goes(tmp_path: Path, monkeypatch) -> None:
    write(build_direct(build_network("hypercube:1"), width=4), tmp_path / "my out")
    bench = tmp_path / "my out" / "bench"
    monkeypatch.syspath_prepend(bench)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with runpy.run_path(str(bench / "folder.py"))["build_folder"]("icarus", "broadcast") as folder:
        assert folder.parent == tmp_path
    assert not folder.exists()


def check_certificate(folder: Path) -> subprocess.CompletedProcess[str]:
    """The checker in the folder, by itself."""
    command = [sys.executable, "-I", folder / "bench" / "certificate.py"]
    return started(*command)


def test_a_wrong_certificate_is_noticed(tmp_path: Path) -> None:
    write(build_design("star:3", width=8), tmp_path / "out")
    change(tmp_path / "out", "manifest", lambda known: known["certificate"].__setitem__(0, [0, 0]))
    done = check_certificate(tmp_path / "out")
    assert done.returncode == 1
    assert re.search(r"^the certificate is WRONG: buffer \d at \d+, rank \d+, may", done.stderr)


def test_one_source_needs_no_certificate(tmp_path: Path) -> None:
    write(build_direct(build_network("star:3"), width=8), tmp_path / "out")
    assert manifest_of(tmp_path / "out")["certificate"] is None
    assert not (tmp_path / "out" / "bench" / "certificate.py").exists()


def test_latencies_stand_in_the_manifest() -> None:
    known = build_manifest(build_direct(build_network("star:3"), width=8), [])
    assert [known[f"{name}_cycles"] for name in ("inject", "hop", "eject")] == [1, 1, 0]


@pytest.mark.ci
def test_what_a_killed_command_left_is_no_obstacle(tmp_path: Path) -> None:
    """Inside an empty folder, and beside what was written before."""
    for _ in range(2):
        left = tmp_path / "out" / ".out-x7ks_a2b"
        left.mkdir(parents=True)
        (left / "half.v").write_text("module half")
        generated(tmp_path / "out", "star:3")
        assert not left.exists()
        assert (tmp_path / "out" / "manifest.json").exists()
    # A file of that name is somebody's.
    left.write_text("mine")
    assert main(["generate", "star:3", "-o", str(tmp_path / "out")]) == 2


def test_graphs_with_long_names_get_short_ones(tmp_path: Path) -> None:
    graph = '{"nodes": 2, "links": [{"from": 0, "to": 1}]}'
    names = []
    for last in "ab":
        path = tmp_path / f"{'d' * 200}{last}.json"
        path.write_text(graph)
        built = build_direct(build_network(f"file:{path}"), width=4)
        names.append(build_manifest(built, [])["top"])
        write(built, tmp_path / last)
    assert len(set(names)) == 2
    assert max(map(len, names)) < 100


@pytest.mark.cases(2)
@pytest.mark.parametrize("options", ["", "--fabric direct --rom block", "--axi-stream"])
def test_no_name_needs_an_escape(tmp_path: Path, options: str) -> None:
    folder = generated(tmp_path / "out", "star:3", *options.split())
    texts = [path.read_text() for path in folder.glob("*.v")]
    assert len(texts) > 1
    assert not any("\\" in text for text in texts)


def test_plain_names_stay_apart() -> None:
    text = "wire a_b; wire \\a.b ; wire \\a$b ; wire \\fork , \\2nd ; assign a_b = \\a.b [3:0];\n"
    plain = "wire a_b; wire a_b_; wire a_b__; wire fork_, _2nd; assign a_b = a_b_[3:0];\n"
    assert _plain_names(text) == plain


def test_a_folder_that_cannot_be_written_is_a_refusal(tmp_path: Path, monkeypatch, cli) -> None:
    def refuse(**_: object) -> str:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("noc.emit.replace.tempfile.mkdtemp", refuse)
    told = cli.refusal("generate", "star:3", "-o", tmp_path / "out")
    assert told.endswith("out: cannot be written: Permission denied\n")


@pytest.mark.ci
def test_a_folder_keeps_its_place_and_what_running_the_bench_left_goes(tmp_path: Path) -> None:
    folder, link = tmp_path / "out", tmp_path / "link"
    folder.mkdir()
    link.symlink_to(folder)
    place = folder.stat().st_ino
    write(build_direct(build_network("star:3"), width=8), folder)
    (folder / "bench" / "build").mkdir()
    (folder / "bench" / "build" / "log").write_text("old")
    known = write(build_direct(build_network("star:3"), width=16), link)
    assert known["width"] == 16
    assert (folder.stat().st_ino, link.is_symlink()) == (place, True)
    files = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert files == set(known["files"])


def test_what_a_person_changed_is_not_lost_silently(tmp_path: Path, cli) -> None:
    folder = tmp_path / "out"
    command = ("generate", "hypercube:1", "--width", "4", "-o", folder)
    cli.out(*command)
    top = folder / "noc_hypercube_1.v"
    top.write_text(f"{top.read_text()}// mine\n")
    assert cli.refusal(*command) == (
        f"noc generate: error: -o {folder}: noc_hypercube_1.v changed since noc generate wrote it; "
        "move that away, choose another folder, or lose it with --discard-edits\n"
    )
    assert "// mine" in top.read_text()
    cli.out(*command, "--discard-edits")
    assert "// mine" not in top.read_text()
    # What is gone is no loss, and an unchanged folder is replaced.
    top.unlink()
    cli.out(*command)
    guides = ("README.md", "waves/nodes.txt", "noc_hypercube_1_instance.vh")
    for name in ("manifest.json", *guides):
        text = (folder / name).read_text()
        (folder / name).write_text(f"{text} ")
        cli.refusal(*command)
        (folder / name).write_text(text)


@pytest.mark.parametrize("moves", range(6))
def test_what_fails_at_the_end_leaves_all_as_it_was(tmp_path: Path, monkeypatch, moves) -> None:
    def content() -> dict[str, str]:
        paths = [path for path in tmp_path.rglob("*") if path.is_file()]
        return {str(path.relative_to(tmp_path)): path.read_text() for path in paths}

    folder = tmp_path / "out"
    folder.mkdir()
    for name in ("a", "b", "c"):
        (folder / name).write_text("before")
    before, rename, left = content(), Path.rename, [moves]

    def failing(self: Path, target: Path) -> Path:
        left[0] -= 1
        if left[0] == -1:
            raise OSError("no more")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", failing)
    with pytest.raises(OSError, match="no more"):
        fill(folder)
    assert content() == before


def fill(folder: Path) -> None:
    with replace_folder(folder) as staging:
        for name in ("b", "c", "d"):
            (staging / name).write_text("after")
