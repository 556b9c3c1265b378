"""Results that are kept beside the documentation, and the page that shows them."""

import argparse
import contextlib
import fcntl
import hashlib
import json
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from noc.cli import arguments as command_line
from noc.design import Design

__all__ = ["ROOT", "Results", "designed", "noc", "origin", "row"]

ROOT = Path(__file__).resolve().parent.parent


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
    """

    def __init__(
        self, name: str, keys: Iterable[str], page: Callable[[dict[str, Any]], str]
    ) -> None:
        self._kept = ROOT / "docs" / f"{name}.json"
        self._page = ROOT / "docs" / f"{name}.md"
        self._lock = ROOT / "docs" / f".{name}.lock"
        self._keys, self._text = list(keys), page

    def read(self) -> dict[str, Any]:
        """Everything that is kept."""
        if not self._kept.exists():
            return {}
        found: dict[str, Any] = json.loads(self._kept.read_text(encoding="utf-8"))
        return found

    def update(self, key: str, decisive: Iterable[str], measure: Callable[[], Any]) -> None:
        """Measure a case, unless it is kept and what decides its result has not changed."""
        mark = hashlib.sha256("\n".join(decisive).encode()).hexdigest()[:16]
        if self.read().get(key, {}).get("fingerprint") == mark:
            return
        commit = self._commit()
        found = {"fingerprint": mark, "commit": commit, **measure()}
        self._keep(key, found)

    def write_page(self) -> None:
        """Bring the page up to date."""
        with self._alone():
            self._show()

    def _keep(self, key: str, found: dict[str, Any]) -> None:
        with self._alone():
            # Another part may have been measured meanwhile.
            kept = self.read() | {key: found}
            ordered = {name: kept[name] for name in self._keys if name in kept}
            _write(self._kept, json.dumps(ordered, indent=1) + "\n")
            self._show()

    def _show(self) -> None:
        kept = {key: found for key, found in self.read().items() if key in self._keys}
        _write(self._page, self._text(kept))

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """Hold off other processes that keep results of this name."""
        # The system takes the lock away with the process, however that ends; the file stays.
        with self._lock.open("w") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            yield

    def _commit(self) -> str:
        """Where the work tree stands, with a mark if more than the results was changed since."""

        def git(*arguments: str) -> str:
            command = ["git", *arguments]
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
            return done.stdout.strip()

        # Results of other pages are no change either: several may be measured at a time.
        changed = git("status", "--porcelain", "--", ".", ":!docs/*.json", ":!docs/*.md")
        return git("rev-parse", "--short=10", "HEAD") + ("-changed" if changed else "")


def _write(path: Path, text: str) -> None:
    """Write a file whole, for others that read it meanwhile; only one process writes at a time."""
    fresh = path.with_name(f".{path.name}")
    fresh.write_text(text, encoding="utf-8")
    fresh.replace(path)


def row(entries: Iterable[object]) -> str:
    """A row of a table."""
    return f"| {' | '.join(map(str, entries))} |"


def origin(found: Iterable[dict[str, Any]]) -> str:
    """The tools, and the commits at which results were measured."""
    measured = list(found)
    tools = sorted({tool for entry in measured for tool in entry["tools"]})
    commits = sorted({entry["commit"] for entry in measured})
    return f"Tools: {', '.join(tools)}. Measured at commit {', '.join(commits)}.\n"


def designed(arguments: Sequence[str]) -> Design:
    """The design that arguments of a command describe."""
    parser = argparse.ArgumentParser()
    command_line.add_spec(parser)
    command_line.add_tree_options(parser, root=False)
    command_line.add_design_options(parser)
    return command_line.build_design(parser.parse_args(arguments))


def noc(*arguments: str) -> dict[str, Any]:
    """What a command prints as JSON; a refusal is a result too, a crash is none."""
    command = [sys.executable, "-m", "noc", *arguments, "--json"]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode == 2:
        return {"failed": 2}
    if not done.stdout:
        raise SystemExit(f"noc {' '.join(arguments)}: status {done.returncode}")
    result: dict[str, Any] = json.loads(done.stdout)
    return result
