"""The documentation site in a real browser, without a network: light, dark, and on a phone."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import site_pages

PAGES = ("docs/index", "README", "docs/how_it_works", "docs/commands", "docs/performance")
PAGES += ("docs/interface_designs", "docs/plugins", "docs/sweeps", "docs/notebooks/lecture")

#: A function that lists texts which are hard to read on what lies behind them.
UNREADABLE = Path(__file__).with_name("unreadable.js").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def site() -> Path:
    return site_pages.build()


@pytest.fixture
def visit(browser: Any, site: Path) -> Iterator[Callable[..., Any]]:
    """Open a page without a network; what it complains of, or asks a network for, is an error."""
    contexts, wrong = [], []

    def open_page(name: str, query: str = "", **options: Any) -> Any:
        context = browser.new_context(offline=True, **options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: wrong.append(f"{name}: {message.text}"))
        page.on("pageerror", lambda error: wrong.append(f"{name}: {error}"))
        page.on("request", lambda asked: wrong.extend(_elsewhere(asked.url)))
        page.goto(f"{(site / name).with_suffix('.html').as_uri()}{query}")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert wrong == []


def _elsewhere(url: str) -> list[str]:
    return [] if url.startswith(("file:", "data:")) else [url]


@pytest.mark.cases(0, ci=2)
@pytest.mark.parametrize("name", PAGES)
def test_texts_are_readable(visit, name: str) -> None:
    page = visit(name, color_scheme="light")
    assert page.evaluate(UNREADABLE) == []
    page.emulate_media(color_scheme="dark")
    assert page.evaluate(UNREADABLE) == []


@pytest.mark.ci
def test_a_pale_text_is_seen(visit) -> None:
    page = visit("docs/index")
    page.add_style_tag(content="article p { color: #999 }")
    assert page.evaluate(UNREADABLE)


@pytest.mark.cases(0, ci=2)
@pytest.mark.parametrize("name", PAGES)
def test_pages_fit_on_a_phone(visit, name: str) -> None:
    page = visit(name, viewport={"width": 360, "height": 640})
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.ci
def test_the_first_key_leads_past_the_contents(visit) -> None:
    page = visit("docs/how_it_works")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent.trim()") == "Skip to content"


@pytest.mark.ci
def test_the_first_page_leads_to_the_documentation(visit) -> None:
    page = visit("index")
    page.wait_for_url("**/docs/index.html")
    assert page.text_content("h1").startswith("Documentation")


@pytest.mark.ci
def test_words_are_searched_without_a_network(visit) -> None:
    page = visit("search", "?q=watchdog")
    page.wait_for_selector("#search-results a[href*='collectives']")
