"""The documentation site: it is built without warnings, and every page of it can be used."""

import argparse
import builtins
import html
import importlib
import json
import re
import typing
from collections.abc import Iterator
from pathlib import Path

import pytest
import site_pages

from noc.cli import _parser

ROOT = Path(__file__).parent.parent
INDEX = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")

# The site takes ten seconds to build.
pytestmark = pytest.mark.ci


@pytest.fixture(scope="module")
def site() -> Path:
    return site_pages.build()


def pages(site: Path) -> list[Path]:
    return sorted(site.rglob("*.html"))


def test_warnings_are_errors_and_references_are_checked() -> None:
    assert {"-W", "-n"} <= set(site_pages.command())


def test_every_page_can_be_used(site: Path) -> None:
    faults = [
        f"{page.relative_to(site)}: {fault}"
        for page in pages(site)
        for fault in site_pages.list_faults(page)
    ]
    assert faults == []


def test_titles_tell_pages_apart(site: Path) -> None:
    titles = [site_pages.read(page).title for page in pages(site)]
    assert len(set(titles)) == len(titles)


def test_every_page_of_the_repository_is_on_the_site(site: Path) -> None:
    written = {*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")}
    written |= {ROOT / "sim" / "README.md", ROOT / "build" / "README.md"}
    written |= {*(ROOT / "docs" / "notebooks").glob("*.ipynb")}
    for page in written:
        assert (site / page.relative_to(ROOT)).with_suffix(".html").is_file(), page


def test_nothing_is_loaded_from_a_network(site: Path) -> None:
    styles = sorted(site.rglob("*.css"))
    assert styles
    for style in styles:
        assert site_pages.list_fetched_by_style(style.read_text(encoding="utf-8")) == [], style


def test_contents_are_those_of_the_first_page(site: Path) -> None:
    text = (site / "docs" / "index.html").read_text(encoding="utf-8")
    (side,) = re.findall(r'(?s)<div class="sidebar-tree">(.*?)</div>', text)
    listed = re.findall(r"^- \[([^]]+)\]\(([^)]+)\.(?:md|ipynb)\)", INDEX, re.MULTILINE)
    assert len(listed) > 20
    shown = re.findall(
        r'<li class="toctree-l1[^"]*"><a[^>]* href="([^"]+)\.html">([^<]+)</a>', side
    )
    assert [(title, page) for page, title in shown] == listed
    captions = re.findall(r'<span class="caption-text">([^<]+)</span>', side)
    assert captions == re.findall(r"^## (.+)$", INDEX, re.MULTILINE)


def parsers(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """The parsers of all commands, and of the commands below a command."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                yield below
                yield from parsers(below)


def test_the_commands_are_those_of_today(site: Path) -> None:
    text = (site / "docs" / "commands.html").read_text(encoding="utf-8")
    sections = dict(
        re.findall(r'(?s)<section id="(noc-[\w-]+)">(.*?)(?=<section|</section>)', text)
    )
    commands = list(parsers(_parser()))
    assert set(sections) == {parser.prog.replace(" ", "-") for parser in commands}
    for parser in commands:
        section = sections[parser.prog.replace(" ", "-")]
        told = {re.sub("<[^>]+>", "", term) for term in re.findall(r"(?s)<dt>(.*?)</dt>", section)}
        options = {
            option
            for action in parser._actions
            if action.help != argparse.SUPPRESS
            for option in action.option_strings
        }
        shown = {word.partition(" ")[0] for term in told for word in term.split(", ")}
        assert options <= shown, parser.prog


def modules() -> list[str]:
    """The modules whose functions and classes are on the site."""
    texts = [page.read_text(encoding="utf-8") for page in (ROOT / "docs").glob("interface_*.md")]
    return re.findall(r"^\.\. automodule:: (\S+)\n +:members:$", "\n".join(texts), re.MULTILINE)


def test_the_interface_is_that_of_today(site: Path) -> None:
    assert len(set(modules())) == len(modules()) > 20
    names = set()
    for page in (site / "docs").glob("interface_*.html"):
        names |= site_pages.read(page).names
    for name in modules():
        module = importlib.import_module(name)
        for member in module.__all__:
            # Plain data is told only where a comment says what it is.
            if callable(getattr(module, member)) and getattr(module, member).__doc__:
                assert f"{name}.{member}" in names or hasattr(
                    getattr(module, member), "__args__"
                ), f"{name}.{member}"


def test_no_object_is_told_by_its_address_or_type_alone(site: Path) -> None:
    for page in (site / "docs").glob("interface*.html"):
        shown = re.sub(r"<[^>]+>", "", page.read_text(encoding="utf-8"))
        assert not re.findall(r".* object(?: at 0x\w+)?&gt;.*", shown), page.name


def test_authors_are_those_of_the_citation(site: Path) -> None:
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    (author,) = re.findall(r'^  - name: "(.+)"$', text, re.MULTILINE)
    shown = re.sub(r"<[^>]+>", "", (site / "docs" / "index.html").read_text(encoding="utf-8"))
    assert re.search(rf"Copyright &#169; 20\d\d {re.escape(author)}\n", shown)


def test_a_page_of_noc_explore_stands_in_its_page(site: Path) -> None:
    page = (site / "docs" / "explore.html").read_text(encoding="utf-8")
    (address,) = re.findall(r'<iframe[^>]* src="([^"]+)"', page)
    text = (site / "docs" / address).read_text(encoding="utf-8")
    assert "<title>star:4, " in text
    assert 'id="data"' in text


def test_notebooks_are_pages_with_their_outputs(site: Path) -> None:
    for path in (ROOT / "docs" / "notebooks").glob("*.ipynb"):
        page = (site / path.relative_to(ROOT)).with_suffix(".html")
        outputs = [
            output
            for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]
            for output in cell.get("outputs", ())
        ]
        pictures = [out["data"]["image/svg+xml"] for out in outputs if "data" in out]
        texts = ["".join(output["text"]) for output in outputs if "text" in output]
        shown = [page.with_name(picture["src"]) for picture in site_pages.read(page).images]
        assert [picture.read_text(encoding="utf-8") for picture in shown] == pictures != []
        for picture, told in zip(shown, site_pages.read(page).images, strict=True):
            assert re.match(r"[\w-]+:[\w,]+(: \d+ nodes|, \w)|3 words from ", told["alt"]), picture
        text = html.unescape(re.sub("<[^>]+>", "", page.read_text(encoding="utf-8")))
        assert all(printed in text for printed in texts), path


def test_types_of_arrays_are_short(site: Path) -> None:
    pages = [page.read_text(encoding="utf-8") for page in site.glob("docs/interface*.html")]
    shown = [re.sub(r"<[^>]+>", "", page) for page in pages]
    long = [re.findall(r".*(?:ndarray|dtype\[).*", page) for page in shown]
    assert not any(long), long
    assert {"array[int]", "array[bool]"} <= set(re.findall(r"array\[\w+\]", "".join(shown)))


def list_loose(text: str) -> set[str]:
    """Names in docstrings that are meant as links and lead nowhere, but for Python's own."""
    names = re.findall(r'(?<!">)<code class="xref py [^>]*><span class="pre">([^<]+)', text)
    return {name for name in names if not hasattr(builtins, name) and not hasattr(typing, name)}


def test_names_in_docstrings_are_links(site: Path) -> None:
    for page in (site / "docs").glob("interface*.html"):
        assert list_loose(page.read_text(encoding="utf-8")) == set(), page.name


def test_a_name_without_a_link_is_seen() -> None:
    code = '<code class="xref py py-class"><span class="pre">{}</span></code>'
    linked = f'<a href="#Tree">{code.format("Tree")}</a>'
    assert list_loose(linked + code.format("str") + f"<p>{code.format('Three')}</p>") == {"Three"}


GOOD = (
    '<html lang="en"><head><title>T</title><meta name="viewport" content="width=device-width">'
    '<link rel="stylesheet" href="site.css"></head>'
    '<body><h1>One</h1><h2 id="two">Two</h2><a href="#two">two</a>'
    '<a href="https://example.org">elsewhere</a><img src="site.css" alt="a picture">'
    '<div tabindex="0"></div></body></html>'
)


def test_a_good_page_has_no_faults(tmp_path: Path) -> None:
    (tmp_path / "site.css").write_text("")
    (tmp_path / "page.html").write_text(GOOD)
    assert list(site_pages.list_faults(tmp_path / "page.html")) == []


@pytest.mark.parametrize(
    ("good", "bad", "fault"),
    [
        ("<title>T</title>", "", "no title"),
        (' lang="en"', "", "no language"),
        (' name="viewport"', "", "too small on a phone: no viewport"),
        ("<h1>One</h1>", "<h1>One</h1><h1>Two</h1>", "2 headings of the first level"),
        ("<h1>One</h1>", "<h1></h1>", "a heading without text"),
        ('<h2 id="two">Two</h2>', '<h3 id="two">Two</h3>', "heading 'Two' skips a level"),
        (' alt="a picture"', ' alt=""', "site.css has no text"),
        ('tabindex="0"', 'tabindex="3"', "tabindex 3"),
        ('<div tabindex="0"></div>', "x" * 400_000, "400289 bytes"),
        ('href="site.css"', 'href="https://a.b/c.css"', "loads https://a.b/c.css"),
        ('href="site.css"', 'href="//a.b/c.css"', "loads //a.b/c.css"),
        ('href="#two"', 'href="#three"', "#three has no such place"),
        ('href="#two"', 'href="other.html#two"', "other.html#two is not there"),
    ],
)
def test_faults_of_pages_are_seen(tmp_path: Path, good: str, bad: str, fault: str) -> None:
    assert good in GOOD
    (tmp_path / "site.css").write_text("")
    (tmp_path / "page.html").write_text(GOOD.replace(good, bad, 1))
    assert list(site_pages.list_faults(tmp_path / "page.html")) == [fault]


def test_styles_that_load_are_seen() -> None:
    text = '@import "https://a.b/c.css"; a{background:url(//a.b/d.png)} b{background:url("e.png")}'
    assert site_pages.list_fetched_by_style(text) == ["//a.b/d.png", "https://a.b/c.css"][::-1]
