"""Results that are kept beside the documentation, and the page that shows them."""

import argparse
import contextlib
import fcntl
import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from noc.cli import arguments as command_line
from noc.design import AnyDesign
from noc.errors import InputError

__all__ = ["ROOT", "Results", "add_print", "designed", "noc", "row", "vcs_of"]

ROOT = Path(__file__).resolve().parent.parent

#: All files but results and their pages, which change no figure: several scripts may run at a time.
WATCHED = (".", ":!docs/*.json", ":!docs/*.md", ":!docs/performance/*")


class Results:
    """What was measured of each case, in docs/NAME.json, and shown in docs/NAME.md.

    Several processes may measure at a time.

    Parameters
    ----------
    name : str
        Of the two files.
    keys : iterable of str
        All cases, in the order in which they are kept.
    page : function
        Makes the text of the page from the results.
    only_print : bool
        Whether results are printed instead, whatever is kept, and nothing is written.
    """

    def __init__(
        self,
        name: str,
        keys: Iterable[str],
        page: Callable[[dict[str, Any]], str],
        *,
        only_print: bool = False,
    ) -> None:
        self._kept = ROOT / "docs" / f"{name}.json"
        self._page = ROOT / "docs" / f"{name}.md"
        self._lock = ROOT / "docs" / f".{name}.lock"
        self._keys, self._text, self._only_print = list(keys), page, only_print

    def read(self) -> dict[str, Any]:
        """Everything that is kept, and came to its end."""
        if not self._kept.exists():
            return {}
        kept: dict[str, Any] = json.loads(self._kept.read_text(encoding="utf-8"))
        return {key: result for key, result in kept.items() if not result.get("trouble")}

    def update(
        self, key: str, decisive: Iterable[str], measure: Callable[[], dict[str, Any]]
    ) -> dict[str, Any]:
        """Measure a case, unless it is kept and what decides its result has not changed.

        What has trouble is told and not kept: a machine with other work may just have been slow.
        Nor is what was measured with other files than those of the commit that is noted with it.
        """
        if self._only_print:
            return _printed(key, measure())
        commit = self._commit
        mark = hashlib.sha256("\n".join(decisive).encode()).hexdigest()[:16]
        kept: dict[str, Any] = self.read().get(key, {})
        if kept.get("fingerprint") == mark:
            return kept
        if changed := _changed(commit):
            raise SystemExit(f"{key}: {changed}; commit and start again, or use --print")
        result = measure()
        if changed := _changed(commit):
            _printed(key, result)
            raise SystemExit(f"{key}: {changed}; the result is not kept")
        if result.get("trouble"):
            print(f"{key}: {result['trouble']}", file=sys.stderr, flush=True)
        else:
            self._keep(key, {"fingerprint": mark, "commit": commit, **result})
        return result

    def write_page(self) -> None:
        """Bring the page up to date."""
        if not self._only_print:
            with self._alone():
                self._show()

    def _keep(self, key: str, result: dict[str, Any]) -> None:
        with self._alone():
            # Another part may have been measured meanwhile.
            kept = self.read() | {key: result}
            ordered = {name: kept[name] for name in self._keys if name in kept}
            _write(self._kept, json.dumps(ordered, indent=1) + "\n")
            self._show()

    def _show(self) -> None:
        kept = {key: result for key, result in self.read().items() if key in self._keys}
        _write(self._page, self._text(kept))

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """Hold off other processes that keep results of this name."""
        # The system takes the lock away with the process, however that ends; the file stays.
        with self._lock.open("w") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            yield

    @cached_property
    def _commit(self) -> str:
        """Where the work tree stood before the first case: what is imported is of that time."""
        return _git("rev-parse", "--short=10", "HEAD")


def _changed(commit: str) -> str:
    """Says what decides figures and is not as it was at a commit; empty if nothing is."""
    changed = _git("diff", "--name-only", commit, "--", *WATCHED).splitlines()
    changed += _git("ls-files", "--others", "--exclude-standard", "--", *WATCHED).splitlines()
    others = f" (and {len(changed) - 1} more)" if changed[1:] else ""
    return f"{changed[0]}{others} is not as at commit {commit}" if changed else ""


def _git(*arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"git {' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout.strip()


def _printed(key: str, result: dict[str, Any]) -> dict[str, Any]:
    """A result, after it was printed."""
    print(json.dumps({key: result}, indent=1), flush=True)
    return result


def add_print(parser: argparse.ArgumentParser) -> None:
    """Declare the option that prints results instead of keeping them."""
    parser.add_argument(
        "--print",
        dest="only_print",
        action="store_true",
        help="measure all that is named, print the results as JSON and keep none, as is needed "
        "in a changed work tree",
    )


def _write(path: Path, text: str) -> None:
    """Write a file whole, for others that read it meanwhile; only one process writes at a time."""
    fresh = path.with_name(f".{path.name}")
    fresh.write_text(text, encoding="utf-8")
    fresh.replace(path)


def row(entries: Iterable[object]) -> str:
    """A row of a table."""
    return f"| {' | '.join(map(str, entries))} |"


def vcs_of(result: dict[str, Any]) -> int:
    """The virtual channels of a result; older results call them classes."""
    return int(result["vcs"] if "vcs" in result else result["classes"])


def designed(arguments: Sequence[str]) -> AnyDesign:
    """The design that arguments of a command describe."""
    parser = argparse.ArgumentParser()
    command_line.add_spec(parser)
    command_line.add_tree_options(parser, root=False)
    command_line.add_design_options(parser)
    try:
        return command_line.build_design(parser.parse_args(arguments))
    except InputError as error:
        raise SystemExit(f"{' '.join(arguments)}: {error.for_command_line()}") from None


def noc(*arguments: str, refusal: re.Pattern[str] | None = None) -> dict[str, Any]:
    """What a command prints as JSON; whatever else it says is no result and ends the script.

    Parameters
    ----------
    arguments : str
        Of the command.
    refusal : pattern, optional
        What a line says that is a result too, of a case that cannot be had at all. The same
        status has a tool that is missing, an option that is not there, too little memory.
    """
    command = ["-m", "noc", *arguments, "--json"]
    done = subprocess.run(
        [sys.executable, *command], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.stdout:
        sys.stderr.write(done.stderr)
        result: dict[str, Any] = json.loads(done.stdout)
        return result
    line = (done.stderr.splitlines() or [""])[-1].partition("error: ")[2]
    if done.returncode == 2 and refusal is not None and refusal.search(line):
        return {"failed": 2, "line": line}
    # Of a crash the whole of what it printed is worth having.
    sys.stderr.write("" if line else done.stderr)
    raise SystemExit(f"noc {' '.join(command[2:])}: {line or f'status {done.returncode}'}")
