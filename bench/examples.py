"""The pictures of docs/examples.md, by the commands that stand there: python bench/examples.py."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

from noc.cli import main

__all__ = ["commands"]

ROOT = Path(__file__).resolve().parent.parent


def commands() -> Iterator[tuple[list[str], Path]]:
    """The words of each command after noc, without the file, and the file that it writes."""
    text = (ROOT / "docs" / "examples.md").read_text(encoding="utf-8")
    for line in re.findall(r"^```sh\n(.+)\n```$", text, re.MULTILINE):
        _, *words, _, file = shlex.split(line)
        yield words, ROOT / file


if __name__ == "__main__":
    for words, file in commands():
        main([*words, "-o", str(file)])
