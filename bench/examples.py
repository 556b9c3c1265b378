"""The pictures that pages show below the commands that make them: python bench/examples.py."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

from tables import DOCS

from noc.cli import main

PAGES = ("examples.md", "draw.md")

#: A command, and the picture below it, which is a file of the name that the command writes.
_SHOWN = re.compile(r"^```sh\nnoc (.+) -o (\S+)\n```\n\n!\[[^]]+\]\(([^)]+)\)$", re.MULTILINE)


def commands(page: str) -> Iterator[tuple[list[str], Path]]:
    """The words of each command of a page, without noc and the file, and the kept picture."""
    text = (DOCS / page).read_text(encoding="utf-8")
    for line, file, picture in _SHOWN.findall(text):
        if Path(file).name != Path(picture).name:
            raise SystemExit(f"docs/{page}: {file} is not {picture}")
        yield shlex.split(line), DOCS / picture


if __name__ == "__main__":
    for page in PAGES:
        for words, file in commands(page):
            main([*words, "-o", str(file)])
