"""`noc verify`: the comparison itself, its traffic, its errors, and a few whole verifications."""

import re
import shutil
import signal
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from helpers import begun_anew, processes_of, started
from hypothesis import given
from hypothesis import strategies as st
from verilog_files import compared, with_wrong_sink

from noc.design import build_direct, build_ordered
from noc.emit.manifest import build_manifest
from noc.errors import InputError
from noc.fabrics.direct.run import expected
from noc.model import simulate
from noc.model.ordered import simulate_ordered
from noc.networks import build_network
from noc.programs.config import RouterConfig
from noc.simulators import SIMULATORS, Job, Simulator
from noc.verify import mixture, run, verify
from noc.verify.records import compare, lay_below, logged
from noc.verify.simulation import Simulation
from noc.verify.streams import interface
from noc.verify.tools import check_waves, compiled_parts, environment


@pytest.fixture(scope="module")
def star():
    built = build_direct(build_network("star:3"), width=8)
    return built, interface(build_manifest(built, []), built)


@pytest.fixture(scope="module")
def records(star):
    built, result = star
    one = run(built, "single:half", words=6, cycles=None, seed=3)
    return expected(result, one.traffic.seed, simulate(built.program, one.traffic).events)


def as_one(words):
    return sum(int(word) << (32 * place) for place, word in enumerate(words))


@given(st.integers(0, 2**70 - 1), st.integers(0, 12), st.data())
def test_a_header_lies_below_the_data(data, bits, draw):
    header = draw.draw(st.integers(0, 2**bits - 1))
    words = np.array([[data >> 32 * k & 0xFFFFFFFF for k in range(3)]], dtype=np.uint32)
    built = lay_below(words, np.array([header]), np.array([bits]), 3)
    assert as_one(built[0]) == data << bits | header


def test_equal_lists_have_no_mismatch(star, records):
    built, result = star
    assert compare(built.network, result, *records, records[0].copy()).mismatches == 0


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
    built, result = star
    got = spoil(records[0])
    got[:, 1] %= len(result.streams)
    comparison = compare(built.network, result, *records, got)
    assert comparison.mismatches > 0
    assert re.search(pattern, comparison.first[0])


def test_a_cut_log_is_missing_transfers(star, records):
    built, result = star
    comparison = compare(built.network, result, *records, records[0][:0])
    assert comparison.mismatches == len(records[0])


def test_a_mixture_has_each_source_alone_and_all_together():
    runs = mixture(build_ordered("star:3", width=8), words=None, cycles=None, seed=0)
    alone = runs[0].traffic
    assert sorted(alone.source.tolist()) == list(range(6))
    assert {one.name.partition(":")[0] for one in runs} >= {
        *("single", "back-to-back", "full", "endless")
    }


@pytest.mark.parametrize("cycles", [20, 60])
def test_traffic_without_end_lasts_until_it_is_cut_off(cycles):
    built = build_ordered("star:3", width=8)
    one = run(built, "endless:bursty", words=None, cycles=cycles, seed=2)
    result = simulate_ordered(built.program, one.traffic, cycles=cycles)
    assert (result.end, result.cycles) == ("limit", cycles)
    # Of each source some word is not accepted any more.
    source = one.traffic.whole.source
    assert set(source[result.accepted < 0].tolist()) == set(range(6))


def test_single_broadcasts_never_meet(star):
    alone = run(star[0], "single:rarely", words=None, cycles=None, seed=5)
    built = simulate(star[0].program, alone.traffic)
    first = built.events.cycle[built.events.port == star[0].program.inject]
    assert first.tolist() == alone.traffic.whole.release.tolist()
    words = built.events.word[np.argsort(built.events.cycle, kind="stable")]
    assert (np.diff(words) >= 0).all()


def test_one_source_at_a_time_has_no_traffic_of_many():
    built = build_direct(build_network("star:3"), sources="one")
    with pytest.raises(InputError, match=r"^name='full': mixture, single, back-to-back are"):
        run(built, "full", words=1, cycles=None, seed=0)
    assert {one.name.partition(":")[0] for one in mixture(built, words=1, cycles=None, seed=0)} == {
        "single",
        "back-to-back",
    }


@pytest.mark.parametrize("program", ["g++", "make", "perl"])
def test_a_missing_program_is_named(program, cli, monkeypatch):
    which = shutil.which
    monkeypatch.setattr(
        shutil, "which", lambda name, **k: None if name == program else which(name, **k)
    )
    assert f"{program} (" in cli.refusal("verify", "star:3")


def test_all_that_is_missing_is_named_at_once(cli, monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda *_, **__: None)
    assert cli.refusal("verify star:3 --simulator icarus") == (
        "noc verify: error: iverilog (Icarus Verilog) and vvp (Icarus Verilog) are missing: "
        "the simulator icarus needs them\n"
    )


def test_what_meddles_is_not_passed_on(monkeypatch):
    for name in ("MAKEFLAGS", "MAKELEVEL", "COCOTB_TEST_FILTER", "TESTCASE", "HARMLESS"):
        monkeypatch.setenv(name, "n")
    env = environment("verilator")
    assert env["HARMLESS"] == "n"
    assert not {"MAKELEVEL", "COCOTB_TEST_FILTER", "TESTCASE"} & set(env)
    # Its own are assignments only.
    assert all("=" in word for word in env.get("MAKEFLAGS", "").split())


def test_paths_that_makefiles_refuse_are_gone_round(tmp_path):
    odd = tmp_path / "my files (1)"
    odd.mkdir()
    (tmp_path / "work").mkdir()
    work = tmp_path / "work"
    job = Job(work, "top", (odd / "top.v", odd / "low.v"))
    link = work / "link0"
    assert job.files == [f"-I{link}", str(link / "top.v"), str(link / "low.v")]
    assert link.resolve() == odd
    assert job.safe(tmp_path / "it's") == work / "link1"
    assert job.safe(tmp_path) == tmp_path
    with pytest.raises(InputError, match=r"no spaces and signs in a file's name$"):
        Simulation(work, (tmp_path / "a b.v",)).build()
    with pytest.raises(InputError, match=r"build elsewhere with folder or TMPDIR$"):
        Simulation(odd, ()).build()


def test_a_log_without_its_end_is_not_whole(star, tmp_path):
    records = np.arange(12, dtype=np.uint32).reshape(4, 3)
    for end, whole in ((2**32 - 1, True), (5, False)):
        last = np.array([end, end, 0], dtype=np.uint32)
        np.concatenate([records.ravel(), last]).tofile(tmp_path / "log")
        got, known = logged(tmp_path / "log", star[1])
        assert (known, len(got)) == (whole, 4 if whole else 5)
    assert logged(tmp_path / "none", star[1])[1] is False


@pytest.mark.cases(0, ci=1)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupted_build_leaves_nothing(number, tmp_path, tmp_path_factory):
    before = set(tmp_path.iterdir())
    # The C++ that another test has compiled would not be compiled again, and all might be over too
    # soon.
    caches = tmp_path_factory.mktemp("cache")
    command = ("verify", "star:4", "--fabric", "direct")
    # Under nohup the tests ignore SIGHUP, and what they start would too.
    hangup = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    process = begun_anew(*command, temporary=tmp_path, caches=caches)
    signal.signal(signal.SIGHUP, hangup)
    deadline = time.monotonic() + 120
    # The log is opened when the compiler's own folder for temporary files is there.
    while not list(tmp_path.glob("noc-verify-*/**/*.log")) and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, "", "noc verify: error: interrupted\n")
    assert set(tmp_path.iterdir()) == before
    assert processes_of(tmp_path) == []


@pytest.mark.cocotb
@pytest.mark.slow
@pytest.mark.skipif(shutil.which("iverilog") is None, reason="Icarus is not installed")
@pytest.mark.parametrize(
    ("build", "kind"), [(build_direct, "back-to-back:half"), (build_ordered, "endless:bursty")]
)
def test_icarus_sees_a_wrong_bit_in_one_run_and_none_in_the_other(build, kind, tmp_path):
    built = build(build_network("star:3"), width=40)
    sources = with_wrong_sink(built, tmp_path, "noc_bench.run == 1")
    words, cycles = (None, 40) if "endless" in kind else (5, None)
    one = run(built, kind, words=words, cycles=cycles, seed=2)
    more = {"simulator": "icarus", "waves": tmp_path / "w.fst"}
    report = compared(built, sources, [one, one], tmp_path, **more)
    assert report.trouble is None
    right, wrong = (each.comparison.mismatches for each in report.runs)
    assert right == 0
    assert wrong > 0
    assert (tmp_path / "w.fst").stat().st_size > 500


SIM = Path(__file__).resolve().parent.parent / "sim" / "run.py"


@pytest.mark.cases(0, ci=2)
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["uhc:2", "--bench", "none"], "--bench none: there is no none.py in"),
        (["uhc:2", "--waves", "w.png"], "--waves w.png: FILE.vcd or FILE.fst is needed"),
        (["sart:4"], "no family 'sart'"),
        (
            ["uhc:2", "--width", "3", "--bench", "many_sources"],
            "--width 3: the bench many_sources needs at least 5 bits here",
        ),
        (["star:3", "--width", "5"], "--width 5: the bench pipelined needs at least 6 bits here"),
        (
            ["uhc:2", "--fabric", "timetable", "--bench", "pipelined"],
            "--bench pipelined: is for other networks",
        ),
    ],
)
def test_the_benches_for_people_refuse_in_one_line(arguments, message):
    done = started(sys.executable, SIM, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr.splitlines()[-1]


# A bench for people in a simulator that does not come to its end.
ABORTED = """
import sys
sys.path.insert(0, {folder!r})
import run
run.execute = lambda command, env: {status}
sys.exit(run.main())
"""


@pytest.mark.ci
@pytest.mark.parametrize(
    ("status", "line"),
    [(0, "the simulation did not come to its end"), (1, "verilator does not accept the Verilog")],
)
def test_a_simulator_that_fails_is_told_in_one_line(status, line):
    program = ABORTED.format(folder=str(SIM.parent), status=status)
    done = started(sys.executable, "-c", program, "uhc:2", "--bench", "pipelined", status=1)
    assert done.stderr == f"run.py: error: {line}\n"


@pytest.mark.cocotb
@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "tests"),
    [
        ("uhc:2 --fabric direct --ports one", 6),
        ("star:3 --fabric timetable", 5),
        ("star:3 --fabric timetable --start pulse --exchange all_to_all", 3),
        ("star:3 --fabric timetable --start ready --ejects one", 7),
        ("mesh:2,3 --fabric timetable --start ready --exchange all_reduce:max --round 2", 3),
    ],
)
def test_the_benches_for_people_run(arguments, tests):
    done = started(sys.executable, SIM, *arguments.split(), status=0)
    assert f"TESTS={tests} PASS={tests} FAIL=0" in done.stdout


def test_what_verilator_compiles_for_itself_is_kept_for_the_user(tmp_path):
    env = {**environment("verilator"), "XDG_CACHE_HOME": str(tmp_path)}
    kept = compiled_parts(env)
    assert kept is not None
    assert kept.parent == tmp_path / "arbornoc" / "verilator"
    assert compiled_parts(env) == kept
    assert compiled_parts({**env, "CXXFLAGS": "-O3"}) != kept
    (tmp_path / "file").touch()
    assert compiled_parts({**env, "XDG_CACHE_HOME": str(tmp_path / "file")}) is None


@pytest.mark.cases(1)
@pytest.mark.parametrize(
    ("ports", "form"),
    [
        ("all", RouterConfig(link_registers=1, rom="block", queue=2)),
        ("all", RouterConfig(rom="block", queue=1)),
        ("all", RouterConfig(queue=5)),
        pytest.param("one", RouterConfig(link_registers=1), marks=pytest.mark.slow),
        pytest.param("all", RouterConfig(link_registers=1), marks=pytest.mark.slow),
        pytest.param("one", RouterConfig(queue=3), marks=pytest.mark.slow),
    ],
)
def test_other_forms_equal_the_model(tmp_path, parts, ports, form):
    built = build_direct(build_network("star:3"), ports=ports, width=8, config=form)
    runs = [run(built, "back-to-back:bursty", words=30, cycles=None, seed=1)]
    assert verify(built, runs, tmp_path, parts=parts).passed


@pytest.mark.cocotb
@pytest.mark.slow
def test_parts_compiled_for_other_waves_are_not_taken(star, tmp_path):
    built, _ = star
    try:
        check_waves("verilator", Path("w.fst"))
    except InputError as missing:
        pytest.skip(str(missing))
    runs = [run(built, "single", words=1, cycles=None, seed=1)]
    for ending in ("vcd", "fst", "vcd"):
        folder = tmp_path / f"{ending}{len(list(tmp_path.iterdir()))}"
        folder.mkdir()
        waves = folder / f"waves.{ending}"
        assert verify(built, runs, folder, waves=waves, parts=tmp_path / "parts").passed


def test_a_simulator_is_one_class(monkeypatch, cli):
    class Mine(Simulator):
        name = "mine"
        programs = {"mine-sim": "My Simulator"}  # noqa: RUF012 - not changed
        endings = (".my",)

    monkeypatch.setitem(SIMULATORS, "mine", Mine())
    assert cli.refusal("verify star:3 --simulator mine") == (
        "noc verify: error: mine-sim (My Simulator) is missing: the simulator mine needs it\n"
    )
    assert "mine: .my" in " ".join(cli.out("verify --help").split())


def test_without_the_library_of_python_only_cocotb_is_refused(monkeypatch) -> None:
    monkeypatch.delenv("LIBPYTHON_LOC", raising=False)
    monkeypatch.setattr("find_libpython.find_libpython", lambda: None)
    assert environment("verilator", cocotb=False)
    with pytest.raises(InputError, match=r"^libpython3\.\d+\.so \(Debian: apt install libpython3"):
        environment("verilator")
