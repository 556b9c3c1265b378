"""The page in a real browser: every control, the pictures, and who cannot see or move much."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from noc.design import AnyDesign, build_design
from noc.explore import describe, describe_scene, list_plays, usual_runs, write_page
from noc.explore.recording import Recording
from noc.explore.runs import record
from noc.networks import build_network, from_edges

EVIL = '<img src=x onerror="document.body.dataset.evil=1">'


def scene(spec: Any, words: int = 2, **options: Any) -> dict[str, Any]:
    design = build_design(spec, **options)
    return describe_scene(design, usual_runs(design, words=words))


SHOWN: dict[str, Callable[[], AnyDesign]] = {
    "star": lambda: build_design("star:4"),
    "shortest": lambda: build_design("star:4", fabric="direct"),
    "sums": lambda: build_design("mesh:3,3", operations=["broadcast", "all_reduce:sum"], width=8),
}

PAGES: dict[str, Callable[[], list[dict[str, Any]]]] = {
    "star": lambda: [scene("star:4")],
    "plays": lambda: [
        describe_scene(
            build_design("uhc:4", sources="one"), [], list_plays(build_network("uhc:4"), "bt2")
        )
    ],
    "two": lambda: [scene("star:4", sources="one"), scene("mesh:3,4")],
    "shortest": lambda: [scene("star:4", fabric="direct")],
    "sums": lambda: [scene("mesh:3,3", 1, operations=["broadcast", "all_reduce:sum"], width=8)],
    "sums by the clock": lambda: [
        scene("mesh:2,3", fabric="timetable", exchange="all_reduce:sum", width=8)
    ],
    "steps": lambda: [scene("star:4")],
    "rounds": lambda: [scene("mesh:2,3", fabric="timetable")],
    "uneven": lambda: [scene(from_edges([("a", "b"), ("b", "c")]))],
    "rings": lambda: [scene("scc:4")],
    "evil": lambda: [scene(from_edges([(EVIL, "b"), ("b", "c")]))],
}


#: Pages that open on a broadcast in steps.
OPENS = {"steps": "fewest-steps", "rings": "cyclic"}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    folder, written = tmp_path_factory.mktemp("pages"), {}

    def file(name: str) -> Path:
        if name not in written:
            written[name] = folder / f"{name}.html"
            write_page(describe(PAGES[name](), opens=OPENS.get(name)), written[name])
        return written[name]

    return file


@pytest.fixture
def visit(browser: Any, files: Callable[[str], Path]) -> Iterator[Callable[..., Any]]:
    """Open a page without a network; whatever it complains of or asks for is an error."""
    contexts, wrong = [], []

    def open_page(name: str, before: str = "", **options: Any) -> Any:
        options.setdefault("viewport", {"width": 1200, "height": 800})
        context = browser.new_context(offline=True, **options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: wrong.append(message.text))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("request", lambda request: wrong.append(request.url))
        if before:
            page.add_init_script(before)
        address = files(name).as_uri()
        page.goto(address)
        page.wait_for_selector("body[data-ready]")
        until(page, "explorer.panes.every((pane) => pane.drawn)")
        assert wrong == [address]
        wrong.clear()
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert wrong == []


def until(page: Any, condition: str) -> None:
    """Wait for it. The page's policy forbids the browser to evaluate text by itself."""
    for _ in range(1000):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(20)
    raise AssertionError(condition)


def state(page: Any) -> dict[str, Any]:
    result: dict[str, Any] = page.evaluate("explorer.state")
    return result


def status(page: Any) -> str:
    text: str = page.inner_text("#status")
    return text


def picture(page: Any, pane: int = 0) -> str:
    """What the two layers of a picture hold, when it has come to rest."""
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 30)))")
    result: str = page.evaluate(
        f"[...document.querySelectorAll('.pane')][{pane}].querySelectorAll('canvas').values()"
        ".map((canvas) => canvas.toDataURL()).toArray().join()"
    )
    return result


def point(page: Any, node: int, pane: int = 0) -> tuple[float, float]:
    """Where a node is on the screen."""
    x, y = page.evaluate(
        f"""(() => {{
          const pane = explorer.panes[{pane}];
          const box = pane.moves.getBoundingClientRect();
          const {{ network }} = pane.scene;
          return [box.x + pane.view.x + pane.view.scale * network.x[{node}],
                  box.y + pane.view.y - pane.view.scale * network.y[{node}]];
        }})()"""
    )
    return x, y


@pytest.mark.ci
def test_time_has_its_buttons(visit) -> None:
    page = visit("star")
    last = state(page)["last"]
    page.click("#next")
    page.click("#next")
    assert state(page)["frame"] == 2
    page.click("#back")
    assert state(page)["frame"] == 1
    assert status(page).startswith("Cycle 1 of ")
    page.click("#last")
    assert state(page)["frame"] == last
    assert status(page) == f"After {last} cycles: every word has arrived everywhere."
    page.click("#first")
    assert state(page)["frame"] == 0
    page.fill("#scrub", "7")
    assert (state(page)["frame"], page.inner_text("#frame")) == (7, "cycle 7")
    assert page.get_attribute("#scrub", "aria-valuetext") == "cycle 7"
    page.select_option("#speed", "32")
    page.click("#play")
    assert page.get_attribute("#play", "aria-label") == "Pause"
    assert page.get_attribute("#status", "aria-live") == "off"
    until(page, f"explorer.state.frame === {last} && !explorer.state.playing")
    assert page.get_attribute("#play", "aria-label") == "Play"
    assert page.get_attribute("#status", "aria-live") == "polite"


@pytest.mark.ci
def test_keys_do_what_buttons_do(visit) -> None:
    page = visit("star")
    press = page.keyboard.press
    for key, frame in (("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("Home", 0)):
        press(key)
        assert state(page)["frame"] == frame
    press("End")
    assert state(page)["frame"] == state(page)["last"]
    press("Space")
    assert state(page)["playing"]
    press("Space")
    assert not state(page)["playing"]
    press("n")
    press("n")
    press("t")
    assert state(page)["panes"][0] == {"view": 0, "node": 1, "source": 1, "word": -1}
    press("Escape")
    assert state(page)["panes"][0]["node"] == -1
    # In a field, keys are its own.
    before = state(page)["frame"]
    page.focus("#heat")
    press("ArrowLeft")
    press("n")
    assert (state(page)["frame"], state(page)["panes"][0]["node"]) == (before, -1)
    page.focus("#help")
    press("Enter")
    assert page.is_visible("#keys")
    press("Escape")
    assert page.is_hidden("#keys")


@pytest.mark.ci
def test_all_controls_can_be_reached_and_seen(visit) -> None:
    page = visit("two")
    page.click("#beside")
    page.click("#beside")
    wanted = page.evaluate(
        "[...document.querySelectorAll('button, select, input, canvas[tabindex]')]"
        ".filter((each) => each.checkVisibility() && !each.closest('#panel')).length"
    )
    page.evaluate("document.activeElement.blur()")
    seen = set()
    for _ in range(3 * wanted):
        page.keyboard.press("Tab")
        outline, name, element = page.evaluate(
            """(() => {
              const each = document.activeElement;
              each.dataset.seen ??= String(Math.random());
              return [getComputedStyle(each).outlineStyle,
                      each.closest('#panel') ? 'panel'
                        : each.matches('button, select, input, canvas') ? each.dataset.seen : '',
                      each.outerHTML];
            })()"""
        )
        if name:
            assert outline == "solid", element
            seen.add(name)
    # The panel is made anew with each change; one name stands for all that is in it.
    assert "panel" in seen
    assert len(seen) == wanted + 1


@pytest.mark.ci
def test_the_focus_stays_where_it_is(visit) -> None:
    page = visit("star")
    page.fill("#scrub", "12")
    word = page.locator("#panel button.link").nth(3)
    name = word.inner_text()
    word.focus()
    page.keyboard.press("Enter")
    assert state(page)["panes"][0]["word"] == int(name.split()[1])
    assert page.evaluate("document.activeElement.textContent") == name
    page.keyboard.press("Enter")
    assert state(page)["panes"][0]["word"] == -1


def test_everything_has_a_name(visit) -> None:
    page = visit("two")
    unnamed = page.evaluate(
        """[...document.querySelectorAll('button, select, input, canvas[tabindex], aside, dialog')]
          .filter((each) => !(each.ariaLabel || each.getAttribute('aria-labelledby')
            || each.textContent.trim() && each.tagName === 'BUTTON' || each.labels?.length))
          .map((each) => each.outerHTML)"""
    )
    assert unnamed == []
    # What the picture shows is told as its name, too.
    page.click("#next")
    label = page.get_attribute(".pane canvas[tabindex]", "aria-label")
    assert (
        label == f"star:4, direct fabric, shortest, in clock cycles. {status(page).split(' — ')[0]}"
    )


@pytest.mark.ci
def test_nodes_are_chosen_by_pointing(visit) -> None:
    page = visit("star")
    page.mouse.click(*point(page, 5))
    assert state(page)["panes"][0]["node"] == 5
    assert page.inner_text("#panel h2") == "1432"
    page.mouse.dblclick(*point(page, 9))
    assert state(page)["panes"][0]["source"] == 9
    assert "the picked source" in page.inner_text("#panel")
    # A drag moves the picture, and chooses nothing.
    before = point(page, 0)
    x, y = point(page, 5)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 40, y + 25, steps=4)
    page.mouse.up()
    after = point(page, 0)
    assert (after[0] - before[0], after[1] - before[1]) == pytest.approx((40, 25))
    assert state(page)["panes"][0]["node"] == 9
    scale = "explorer.panes[0].view.scale"
    old = page.evaluate(scale)
    page.mouse.wheel(0, -200)
    until(page, f"{scale} > {old} * 1.2")
    page.click("[aria-label='Whole network']")
    assert point(page, 0) == pytest.approx(before)
    page.click("[aria-label='Zoom in']")
    assert page.evaluate(scale) > old
    page.mouse.click(*point(page, 0))
    assert state(page)["panes"][0]["node"] == 0


@pytest.mark.ci
def test_pictures_show_what_changes(visit) -> None:
    page = visit("star")
    start = picture(page)
    page.click("#next")
    later = picture(page)
    assert later != start
    page.click("#back")
    assert picture(page) == start
    shown = {start}
    for change in (
        lambda: page.select_option("#heat", "load"),
        lambda: page.select_option("#heat", "wait"),
        lambda: page.select_option(".field:has-text('Tree from') select", "3"),
        lambda: page.select_option(".field:has-text('Node') select", "7"),
        lambda: page.fill("#scrub", "20"),
        lambda: page.fill(".field:has-text('Follow word') input", "5"),
        lambda: page.select_option(
            ".field:has-text('Show') select", label="steps: shortest, one-port"
        ),
    ):
        change()
        drawn = picture(page)
        assert drawn not in shown
        shown.add(drawn)
    assert status(page).startswith("After ")
    # The same page shows the same pictures.
    again = visit("star")
    assert picture(again) == start


@pytest.mark.ci
def test_the_panel_shows_a_node_of_the_ordered_fabric(visit) -> None:
    page = visit("star")
    page.fill("#scrub", "12")
    page.select_option(".field:has-text('Node') select", "0")
    text = page.inner_text("#panel")
    for part in ("root of both trees", "Holds now", "Merges and fork", "merge 0", "forks to"):
        assert part in text
    # The boxes of the present cycle are the transfers of this cycle.
    run = "explorer.panes[0].run"
    count = page.evaluate(
        f"""(() => {{ const run = {run}; const {{ into, out }} = run.streamsOf[0];
          return [...into, ...out].filter((stream) => {{
            for (let at = run.firstOfStream[stream]; at < run.firstOfStream[stream + 1]; at++)
              if (run.cycle[at] === 12) return true; return false; }}).length; }})()"""
    )
    boxes = page.evaluate(
        """(() => {
          const wave = document.querySelector('#panel .wave');
          const cursor = wave.querySelector('.cursor').getBBox();
          return [...wave.querySelectorAll('.word')].filter((box) => {
            const { x, width } = box.getBBox();
            return x + width / 2 > cursor.x && x + width / 2 < cursor.x + cursor.width;
          }).length;
        })()"""
    )
    assert boxes == count > 3
    page.click("#panel button.link")
    assert state(page)["panes"][0]["word"] >= 0


@pytest.mark.ci
def test_the_panel_shows_a_router(visit) -> None:
    page = visit("shortest")
    page.fill("#scrub", "5")
    page.select_option(".field:has-text('Node') select", "5")
    text = page.inner_text("#panel")
    assert "Table of the router" in text
    assert "words, max" in page.text_content("#panel")
    # Marked rows are those that the document gives for the words that are here.
    marked = page.locator("#panel tr.now td:first-child").all_inner_texts()
    codes = page.evaluate(
        """(() => { const run = explorer.panes[0].run; const { program } = explorer.scenes[0];
          const rows = program.tables.flatMap(({ rows }) => rows); const codes = new Set();
          for (let at = 0; at < run.cycle.length; at++) {
            const arrives = run.streams.receiver[run.stream[at]] === 5 && run.cycle[at] === 5;
            if (arrives) codes.add(rows[run.row[at]].code);
          }
          const { from, until, row } = run.items;
          for (const item of run.itemsOf[5])
            if (from[item] < 5 && until[item] >= 5) codes.add(rows[row[item]].code);
          return [...codes]; })()"""
    )
    assert {int(re.sub(r"\D", "", code)) for code in marked} == set(codes)
    assert codes


@pytest.mark.ci
@pytest.mark.parametrize(
    ("name", "node", "cycle"), [("star", 0, 20), ("shortest", 5, 5), ("sums", 4, 8)]
)
def test_waves_of_ports_are_those_of_the_model(visit, name: str, node: int, cycle: int) -> None:
    page = visit(name)
    page.select_option(".field:has-text('Node') select", str(node))
    page.fill("#scrub", str(cycle))
    waves = page.evaluate(
        """[...document.querySelectorAll('#panel .signal')].map((path) =>
          [Number(path.dataset.stream), path.dataset.signal,
           Number(path.previousElementSibling.getAttribute('y')), path.getAttribute('d')])"""
    )
    design = SHOWN[name]()
    one = usual_runs(design, words=1 if name == "sums" else 2)[0]
    high = signals_high(record(design, one.traffic))
    for stream, signal, low, path in waves:
        levels = [float(level) for level in re.findall(r"[,V]([\d.]+)", path)]
        shown = [level < low for level in levels]
        assert shown == [(stream, cycle) in high[signal] for cycle in range(cycle - 5, cycle + 6)]
    assert {signal for _, signal, _, _ in waves} == {"valid", "ready"}
    assert f"In cycle {cycle}: inject: " in page.get_attribute(
        "#panel .wave >> nth=0", "aria-label"
    )


def signals_high(recorded: Recording) -> dict[str, set[tuple[int, int]]]:
    """Of each signal the streams and cycles in which it is 1."""
    moved = set(zip(recorded.stream.tolist(), recorded.cycle.tolist(), strict=True))
    spans = {
        kind: {
            (stream, cycle)
            for stream, begin, length in zip(
                each.stream.tolist(), each.cycle.tolist(), each.length.tolist(), strict=True
            )
            for cycle in range(begin, begin + length)
        }
        for kind, each in recorded.spans.items()
    }
    return {"valid": moved | spans["waiting"], "ready": moved | spans["free"]}


@pytest.mark.ci
def test_plays_show_several_trees_at_once(visit) -> None:
    page = visit("plays")
    show = ".field:has-text('Show') select"
    page.select_option(show, label="steps: adst, all-port, a message in 2 slices")
    start = picture(page)
    last = state(page)["last"]
    page.click("#next")
    assert status(page).startswith(f"Step 2 of {last}: ")
    assert page.inner_text("#frame") == "step 2"
    assert picture(page) != start
    assert "2 slices from 0000, along 2 trees" in page.inner_text("#panel")
    page.select_option(".field:has-text('Node') select", "5")
    assert "Ports, step by step" in page.inner_text("#panel")
    page.click("#last")
    assert status(page) == f"After {last} steps: every word has arrived everywhere."
    held = "explorer.panes[0].run.occupied"
    assert page.evaluate(f"[...{held}].filter((_, at) => at % {last + 1} === {last})") == [2] * 16


@pytest.mark.ci
def test_sums_are_seen_to_grow(visit) -> None:
    page = visit("sums")
    assert "all_reduce:sum" in page.inner_text("#panel")
    page.select_option(".field:has-text('Node') select", "0")
    last, found = state(page)["last"], False
    for frame in range(last):
        page.fill("#scrub", str(frame))
        found = found or "45" in page.locator("#panel .wave .value").all_text_contents()
    # 1 + … + 9 comes to every node.
    assert found


@pytest.mark.ci
def test_sums_by_the_clock_are_seen_to_grow(visit) -> None:
    page = visit("sums by the clock")
    design = build_design("mesh:2,3", fabric="timetable", exchange="all_reduce:sum", width=8)
    root = next(node for node, port in design.program.ejects.tolist() if port == 4)
    page.select_option(".field:has-text('Node') select", str(root))
    assert "out sum" in page.inner_text("#panel")
    # Words for each sum become one, which comes to the root and to all others.
    last, told, held = state(page)["last"], [], set()
    for frame in range(last):
        page.fill("#scrub", str(frame))
        told.append(status(page))
        held |= {*page.locator("#panel section").first.locator("button").all_text_contents()}
    assert sum("1 sum is whole" in each for each in told) == 2
    for number in range(2):
        names = {f"words for sum 0 of round {number}", f"sum 0 of round {number}"}
        assert names <= held, held


@pytest.mark.ci
def test_two_pictures_stand_side_by_side(visit) -> None:
    page = visit("two")
    assert page.locator(".pane").count() == 2
    page.click("#next")
    first, second = status(page).split(" — ")
    assert first.startswith("Cycle 1 of ")
    assert second.startswith("Cycle 1 of ")
    page.mouse.click(*point(page, 2, pane=1))
    assert [pane["node"] for pane in state(page)["panes"]] == [-1, 2]
    assert page.inner_text("#panel h2") == "0.2"
    assert (
        page.locator(".pane.active canvas[tabindex]").get_attribute("aria-label").startswith("mesh")
    )
    page.keyboard.press("o")
    assert page.inner_text("#panel h2") == "star:4"
    page.click("#beside")
    assert page.locator(".pane").count() == 1
    assert page.get_attribute("#beside", "aria-pressed") == "false"


@pytest.mark.ci
def test_without_motion_words_rest(visit) -> None:
    page = visit("star", reduced_motion="reduce")
    page.select_option("#speed", "0.5")
    before = picture(page)
    page.click("#play")
    page.wait_for_timeout(300)
    during = picture(page)
    until(page, "explorer.state.frame === 1")
    page.click("#play")
    assert during == before
    assert picture(page) != before


@pytest.mark.ci
def test_names_of_a_graph_are_text(visit) -> None:
    page = visit("evil")
    page.select_option(".field:has-text('Node') select", "0")
    page.click("#next")
    assert page.inner_text("#panel h2") == EVIL
    assert page.locator("img").count() == 0
    assert page.evaluate("document.body.dataset.evil") is None


@pytest.mark.ci
@pytest.mark.parametrize("width", [340, 390, 800])
def test_it_fits_a_phone(visit, width: int) -> None:
    page = visit("two", viewport={"width": width, "height": 720}, has_touch=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    small = page.evaluate(
        """[...document.querySelectorAll('button, select')].filter((each) => each.checkVisibility())
          .filter((each) => !each.matches('.link'))
          .map((each) => each.getBoundingClientRect())
          .filter(({ width, height }) => width < 24 || height < 24).length"""
    )
    assert small == 0
    page.evaluate("document.querySelector('.stage').scrollIntoView({ block: 'start' })")
    page.touchscreen.tap(*point(page, 4))
    assert state(page)["panes"][0]["node"] == 4


def test_it_opens_on_a_broadcast_and_says_what_it_is(visit) -> None:
    page = visit("steps")
    assert page.inner_text("h1") == "star:4, fewest-steps, one-port, in steps"
    assert page.title() == "star:4, fewest-steps, one-port, in steps – noc explore"
    assert page.inner_text(".about").startswith("One word goes from 1234 to all 24 nodes. ")
    assert status(page).endswith(" Play it, or go on one by one.")
    signs = page.locator(".key li").all_inner_texts()
    for text in ("root: it sends first", "has the word", "the step in which a node receives"):
        assert any(sign.endswith(text) for sign in signs)
    page.click("#next")
    assert "Play it" not in status(page)
    page.select_option(".field:has-text('Show') select", "0")
    assert page.inner_text("h1") == "star:4, ordered fabric, even, in clock cycles"
    assert "climbs to the root, the square" in page.inner_text(".about")
    signs = page.locator(".key li").all_inner_texts()
    assert any(sign.endswith("how many words a node has") for sign in signs)
    page.select_option(".field:has-text('Tree from') select", "3")
    signs = page.locator(".key li").all_inner_texts()
    assert any(sign.endswith("hops from the sender") for sign in signs)


@pytest.mark.ci
def test_nothing_that_moves_covers_names_and_numbers(visit) -> None:
    page = visit("star")
    page.fill("#scrub", "20")
    picture(page)
    covered = """(without) => {
      const pane = explorer.panes[0];
      if (without) pane.paint(pane.moves, {}, []);
      else pane.draw();
      const all = document.createElement('canvas');
      [all.width, all.height] = [pane.nodes.width, pane.nodes.height];
      const context = all.getContext('2d', { willReadFrequently: true });
      for (const layer of pane.stage.querySelectorAll('canvas')) context.drawImage(layer, 0, 0);
      const { network } = pane.scene;
      const radius = Math.max(2.4, Math.min(24, pane.view.scale * 0.3));
      return network.labels.map((_, node) => {
        const x = pane.view.x + pane.view.scale * network.x[node];
        const y = pane.view.y - pane.view.scale * network.y[node];
        const seen = (dx, dy) => [...context.getImageData(x + dx - 4, y + dy - 4, 8, 8).data];
        return [seen(0, 0), seen(radius * 0.8, -radius * 0.8)];
      });
    }"""
    rings = page.evaluate(
        """(() => { const { run } = explorer.panes[0];
          return [...run.stream.keys()].filter((place) => run.cycle[place] === 20
            && run.streams.kind[run.stream[place]] === 'eject').length; })()"""
    )
    assert rings > 10
    assert page.evaluate(covered, False) == page.evaluate(covered, True)


@pytest.mark.ci
def test_lists_of_a_step_are_whole_and_long_ones_say_that_they_are_scrolled(visit) -> None:
    page = visit("rings")
    page.select_option(".field:has-text('Show') select", label="steps: fewest-steps, one-port")
    rows = []
    for frame in range(state(page)["last"]):
        page.fill("#scrub", str(frame))
        lists = page.evaluate(
            """[...document.querySelectorAll('#panel .scroll')].map((list) => [
              list.querySelectorAll('tbody tr').length, list.scrollHeight - list.clientHeight])"""
        )
        rows.append(lists[0][0])
        told = re.search(r"(\d+) nodes? send", status(page))
        assert told is not None
        assert lists[0][0] == int(told[1])
        assert all(hidden <= 1 for count, hidden in lists if count <= 30)
    assert max(rows) >= 12
    page.select_option(".field:has-text('Show') select", label="steps: shortest, all-port")
    page.evaluate("explorer.scenes[0].schedules.forEach((each) => (each.from['0'].step.fill(1)))")
    page.fill("#scrub", "1")
    page.fill("#scrub", "0")
    assert "72 rows: scroll to see them all." in page.inner_text("#panel")


@pytest.mark.ci
def test_equally_busy_links_are_told_in_a_line(visit) -> None:
    equal = set()
    for name in ("star", "uneven"):
        page = visit(name)
        loads = page.evaluate(
            """(() => { const { run } = explorer.panes[0];
              return run.streams.kind.map((kind, place) => ['up', 'down', 'link'].includes(kind)
                ? run.firstOfStream[place + 1] - run.firstOfStream[place] : 0); })()"""
        )
        alike = loads.count(max(loads))
        line = f"{alike} streams on links carry {max(loads)} words each, and none carries more."
        panel = page.inner_text("#panel")
        all_listed = alike >= min(6, np.count_nonzero(loads))
        assert (line in panel, "mean wait" in panel) == (all_listed, not all_listed)
        equal.add(all_listed)
    assert equal == {False, True}


@pytest.mark.ci
def test_steps_beside_cycles_begin_together(visit) -> None:
    page = visit("star")
    page.click("#beside")
    page.select_option(
        ".pane:nth-child(2) .field:has-text('Show') select", label="steps: shortest, one-port"
    )
    page.fill("#scrub", "3")
    assert page.inner_text("#frame") == "cycle 3, step 4"
    assert status(page).startswith("Cycle 3 of ")
    assert " — Step 4 of " in status(page)
    assert "The first step stands beside the first clock cycle, which is cycle 0." in status(page)


@pytest.mark.ci
def test_missing_names_are_told(visit) -> None:
    spy = """globalThis.written = []; const own = CanvasRenderingContext2D.prototype.fillText;
      CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
        globalThis.written.push(text); return own.call(this, text, ...rest); };"""
    page = visit("star", before=spy)
    hint = "Zoom in, or point at a node, to see names."
    assert "1234" in page.evaluate("written")
    assert hint not in page.evaluate("written")
    page = visit("star", before=spy, viewport={"width": 700, "height": 420})
    page.evaluate("written.length = 0")
    for _ in range(3):
        page.click("#more") if page.is_hidden("[aria-label='Zoom out']") else None
        page.click("[aria-label='Zoom out']")
    picture(page)
    assert hint in page.evaluate("written")


@pytest.mark.ci
def test_a_phone_shows_the_pictures_and_not_the_controls(visit) -> None:
    size = {"width": 390, "height": 844}
    page = visit("steps", viewport=size, has_touch=True)
    height = "(name) => document.querySelector(name).getBoundingClientRect().height"
    controls = sum(page.evaluate(height, name) for name in ("header", "figcaption", "footer"))
    assert controls < 225
    bottom = "(name) => [...document.querySelectorAll(name)].at(-1).getBoundingClientRect().bottom"
    top = page.evaluate("document.querySelector('footer').getBoundingClientRect().top")
    assert page.evaluate(bottom, ".key") <= top
    assert page.is_hidden(".zoom")
    page.click("#more")
    assert page.is_visible(".zoom")
    assert page.get_attribute("#more", "aria-expanded") == "true"
    page = visit("two", viewport=size, has_touch=True)
    top = page.evaluate("document.querySelector('footer').getBoundingClientRect().top")
    assert page.locator(".stage").count() == 2
    assert page.evaluate(bottom, ".stage") <= top


@pytest.mark.ci
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_stand_out(visit, scheme: str) -> None:
    page = visit("star", color_scheme=scheme)
    theme = page.evaluate("explorer.theme")

    def light(colour: str) -> float:
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return sum(
            part * share for part, share in zip(linear, (0.2126, 0.7152, 0.0722), strict=True)
        )

    def contrast(one: str, other: str) -> float:
        low, high = sorted((light(one), light(other)))
        return (high + 0.05) / (low + 0.05)

    style = {
        name: page.evaluate(
            f"getComputedStyle(document.documentElement).getPropertyValue('--{name}')"
        )
        for name in ("panel", "mark")
    }
    grounds = [theme["back"], theme["node"], style["panel"].strip()]
    for ground in grounds:
        assert contrast(theme["text"], ground) >= 4.5
        assert contrast(theme["muted"], ground) >= 4.5
    assert contrast(theme["text"], style["mark"].strip()) >= 4.5
    assert contrast(theme["accent"], theme["back"]) >= 4.5
    for colour in (*theme["words"], theme["edge"], theme["up"], theme["down"], theme["warm"]):
        assert contrast(colour, theme["back"]) >= 3
        assert contrast(colour, theme["node"]) >= 3
    assert len(set(theme["words"])) == 6


@pytest.mark.ci
def test_an_old_browser_is_told_why(browser: Any, files) -> None:
    context = browser.new_context(offline=True)
    page = context.new_page()
    page.add_init_script("delete globalThis.DecompressionStream")
    page.goto(files("star").as_uri())
    until(page, "document.getElementById('status').textContent.includes('too old')")
    context.close()
