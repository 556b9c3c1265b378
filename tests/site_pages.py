"""What is wrong with a page of the documentation site, for readers who see it or hear it."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import once
import pytest

#: Elements that fetch what they name, and the attribute that names it.
FETCHING = {"script": "src", "img": "src", "iframe": "src", "source": "src", "object": "data"}

#: What a link element fetches, by its relation.
FETCHED = {
    "stylesheet",
    "icon",
    "shortcut icon",
    "preload",
    "prefetch",
    "manifest",
    "modulepreload",
}

#: Bytes of a page; a phone loads it in a second or two.
MOST_BYTES = 400_000


@dataclass
class Page(HTMLParser):
    """The parts of a page that are looked at."""

    text: str
    language: str = ""
    title: str = ""
    viewport: bool = False
    headings: list[tuple[int, str]] = field(default_factory=list)
    images: list[dict[str, str]] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    fetched: list[str] = field(default_factory=list)
    names: set[str] = field(default_factory=set)
    indices: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()
        self._within = ""
        self.feed(self.text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.names |= {found[name] for name in ("id", "name") if name in found and tag != "meta"}
        self.indices += [found["tabindex"]] if "tabindex" in found else []
        if tag == "html":
            self.language = found.get("lang", "")
        elif tag == "meta" and found.get("name") == "viewport":
            self.viewport = True
        elif tag == "a" and "href" in found:
            self.links.append(found["href"])
        elif tag == "img":
            self.images.append(found)
        elif tag == "title" and not self.title:
            self._within = tag
        elif re.fullmatch("h[1-6]", tag):
            self._within = tag
            self.headings.append((int(tag[1]), ""))
        if tag in FETCHING and FETCHING[tag] in found:
            self.fetched.append(found[FETCHING[tag]])
        if tag == "link" and found.get("rel") in FETCHED:
            self.fetched.append(found["href"])

    def handle_endtag(self, tag: str) -> None:
        if tag == self._within:
            self._within = ""

    def handle_data(self, data: str) -> None:
        if self._within == "title":
            self.title += data
        elif self._within:
            level, text = self.headings[-1]
            self.headings[-1] = level, text + data


def read(path: Path) -> Page:
    """A page of the site; a page is read once."""
    return _read(path.resolve())


@cache
def _read(path: Path) -> Page:
    return Page(path.read_text(encoding="utf-8"))


def list_faults(path: Path) -> Iterator[str]:
    """What is wrong with a page, a line each."""
    page = read(path)
    levels = [level for level, _ in page.headings]
    if not page.title.strip():
        yield "no title"
    if page.language != "en":
        yield "no language"
    if not page.viewport:
        yield "too small on a phone: no viewport"
    if levels.count(1) != 1:
        yield f"{levels.count(1)} headings of the first level"
    for before, (level, text) in zip([0, *levels], page.headings, strict=False):
        if level > before + 1:
            yield f"heading {text!r} skips a level"
        if not text.strip():
            yield "a heading without text"
    yield from (f"{image['src']} has no text" for image in page.images if not image.get("alt"))
    yield from (f"tabindex {index}" for index in page.indices if int(index) > 0)
    if len(page.text.encode()) > MOST_BYTES:
        yield f"{len(page.text.encode())} bytes"
    yield from (f"loads {url}" for url in page.fetched if _elsewhere(url))
    yield from _broken(path, page)


def _elsewhere(url: str) -> bool:
    """Whether it is fetched from a network."""
    return url.startswith("//") or urlsplit(url).scheme in ("http", "https")


def _broken(path: Path, page: Page) -> Iterator[str]:
    """Links and files that are not there."""
    for url in {*page.links, *page.fetched}:
        parts = urlsplit(url)
        if parts.scheme or url.startswith("//"):
            continue
        target = path.parent / unquote(parts.path) if parts.path else path
        if not target.is_file():
            yield f"{url} is not there"
        elif target.suffix == ".html" and not _has(target, unquote(parts.fragment)):
            yield f"{url} has no such place"


def _has(target: Path, place: str) -> bool:
    return not place or place in read(target).names


def list_fetched_by_style(text: str) -> list[str]:
    """What a style sheet fetches from a network."""
    named = re.findall(r"url\(\s*['\"]?([^'\")]+)|@import\s+['\"]([^'\"]+)", text)
    return [url for pair in named for url in pair if url and _elsewhere(url)]


def contrast(one: str, other: str) -> float:
    """How well a colour is read on another, as WCAG 2 counts it, of #rgb or #rrggbb."""
    lights = sorted((_light(one), _light(other)))
    return (lights[1] + 0.05) / (lights[0] + 0.05)


def _light(colour: str) -> float:
    digits = colour.removeprefix("#")
    digits = "".join(2 * digit for digit in digits) if len(digits) == 3 else digits
    parts = [int(digits[place : place + 2], 16) / 255 for place in (0, 2, 4)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


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
