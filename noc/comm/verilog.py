"""Programs on the Verilog in a folder, with a simulator that cocotb drives."""

import contextlib
import inspect
import json
import pickle
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from noc.comm.session import REQUEST, Program, Request
from noc.comm.setup import Setup, describe_design, describe_manifest
from noc.comm.world import Run
from noc.design import AnyDesign
from noc.emit.folder import write
from noc.errors import CheckError, InputError, option
from noc.simulators import SAFE, SIMULATORS, Job, compose_test, execute
from noc.verify.tools import environment

#: For Verilator: a bench needs the ports, and nothing inside.
_SEEN = """\
`verilator_config
public_flat_rw -module "{top}" -var "*"
"""


def run_verilog(
    folder: Path,
    program: Program,
    arguments: Sequence[Any],
    *,
    cycles: int | None = None,
    simulator: str = "verilator",
) -> Run:
    """Run a program at every node of the network in a folder."""
    document, manifest = _read_manifest(folder), folder.resolve() / "manifest.json"
    describe_manifest(document)
    if simulator not in SIMULATORS:
        raise InputError(f"{option('simulator', simulator)}: {', '.join(SIMULATORS)} are allowed")
    source = _source(program)
    with _build_folder(manifest.parent, simulator) as build:
        answer = build / "answer.pickle"
        request = Request(*source, tuple(arguments), manifest, cycles, answer)
        return _simulate(request, document, build, simulator)


def read_setup(folder: Path) -> Setup:
    """The nodes of the network in a folder."""
    return describe_manifest(_read_manifest(folder))


def _read_manifest(folder: Path) -> dict[str, Any]:
    manifest = folder / "manifest.json"
    if not manifest.is_file():
        raise InputError(f"{folder}: has no manifest.json; 'noc generate' writes such folders")
    document: dict[str, Any] = json.loads(manifest.read_text(encoding="utf-8"))
    return document


@contextlib.contextmanager
def written(design: AnyDesign) -> Iterator[Path]:
    """A folder with the Verilog of a design, for as long as it is needed."""
    describe_design(design)
    with tempfile.TemporaryDirectory(prefix="noc-comm-") as folder:
        write(design, Path(folder) / "network")
        yield Path(folder) / "network"


def _source(program: Program) -> tuple[Path, str, str]:
    """The file of a program, its module and its name in that."""
    name, file = program.__qualname__, inspect.getsourcefile(program)
    # What is typed into a notebook has the name of a file that is nowhere.
    if file is None or "<" in name or "<" in Path(file).name or not Path(file).is_file():
        raise InputError(
            f"{name}: on Verilog a program runs in a process of its own, so it has to be a "
            "function at the top of a file"
        )
    module = "noc_comm_program" if program.__module__ == "__main__" else program.__module__
    return Path(file).resolve(), module, name


@contextlib.contextmanager
def _build_folder(folder: Path, simulator: str) -> Iterator[Path]:
    """Where it is compiled: beside the other benches, so that the next run need not do so again."""
    build = folder / "bench" / "build" / simulator / "comm"
    if SAFE.fullmatch(str(build)):
        build.mkdir(parents=True, exist_ok=True)
        yield build
    else:
        with tempfile.TemporaryDirectory(prefix="noc-comm-") as name:
            yield Path(name)


def _simulate(request: Request, manifest: dict[str, Any], build: Path, simulator: str) -> Run:
    folder, env = request.manifest.parent, environment(simulator)
    files = [folder / name for name in manifest["files"]]
    verilog, lint = (tuple(f for f in files if f.suffix == end) for end in (".v", ".vlt"))
    seen = build / "seen.vlt"
    seen.write_text(_SEEN.format(top=manifest["top"]), encoding="utf-8")
    job = Job(build, manifest["top"], verilog, lint=(*lint, seen))
    log = build / "log.txt"
    log.unlink(missing_ok=True)
    for step in SIMULATORS[simulator].build(job):
        if execute(step.command, env, log):
            raise CheckError(f"{step.trouble}: {_last_line(log)}")
    (build / "request.pickle").write_bytes(pickle.dumps(request))
    request.answer.unlink(missing_ok=True)
    bench, results = ["noc.comm.cocotb_bench"], build / "results.xml"
    test = compose_test(SIMULATORS[simulator], job, bench, folder=build, results=results)
    execute(test, env | {REQUEST: str(build / "request.pickle")}, log)
    if not request.answer.is_file():
        raise CheckError(f"the simulation did not come to its end: {_last_line(log)}")
    answer = pickle.loads(request.answer.read_bytes())
    if isinstance(answer, Exception):
        raise answer
    assert isinstance(answer, Run)
    return answer


def _last_line(log: Path) -> str:
    """What a program said last."""
    text = log.read_text(encoding="utf-8", errors="replace").strip()
    return text.rsplit("\n", 1)[-1].strip() or "it said nothing"
