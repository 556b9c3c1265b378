"""The documentation site, built once for all tests of a run."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import once
import pytest

ROOT = Path(__file__).parent.parent


def command() -> list[str]:
    """The command that builds the site, as CONTRIBUTING.md says it."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (line,) = re.findall(r"^    \.venv/bin/python (-m sphinx .*)$", text, re.MULTILINE)
    return shlex.split(line)


def build() -> Path:
    """Build the site from the pages of today; the result is its folder."""
    pytest.importorskip("furo", reason="needs the extra docs: Sphinx, MyST and furo")
    folder = Path(os.environ[once.KEPT]) / "site"
    if not folder.exists():
        # Another process may be building; whichever ends first is kept.
        fresh = Path(tempfile.mkdtemp(dir=folder.parent))
        *words, where = command()
        assert where == "build/site"
        built = [sys.executable, *words, "-q", str(fresh)]
        done = subprocess.run(built, cwd=ROOT, capture_output=True, text=True, check=False)
        if done.returncode or done.stderr:
            pytest.fail(done.stderr, pytrace=False)
        try:
            fresh.rename(folder)
        except OSError:
            shutil.rmtree(fresh)
    return folder
