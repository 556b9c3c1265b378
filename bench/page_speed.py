"""How fast the page of `noc explore` shows a network in a headless Chromium.

    python bench/page_speed.py [SPEC …] [--seconds S] [--speed S] [--json]

For each network: when the first frame is drawn, from the begin of loading the file; and frames a
second while the run plays from its busiest cycle on, with the waves of a node in the panel, by the
times that the browser gives to requestAnimationFrame. Both are of the wall clock, so that other
work on the machine slows them down; `script` is what the page's own scripts take of each frame.
Without a graphics processor, Chromium draws with the processor.
"""

import argparse
import json
import os
import shutil
import tempfile
from itertools import pairwise
from pathlib import Path
from typing import Any

from noc.design import build_design
from noc.explore import describe, describe_scene, usual_runs, write_page

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")

# When every picture has been drawn for the first time.
FIRST = """
globalThis.firstFrame = new Promise((done) => {
  const look = () => {
    if (document.body?.dataset.ready !== undefined && explorer.panes.every((pane) => pane.drawn)) {
      requestAnimationFrame((time) => done(time));
    } else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
});
"""

# Times of frames while it plays, and for how long the page's scripts were at work, all in ms.
PLAY = """
([seconds, speed]) => new Promise((done) => {
  const times = [];
  let scripts = 0;
  const timed = (owner, name) => {
    const own = owner[name].bind(owner);
    owner[name] = (...all) => {
      const begin = performance.now();
      own(...all);
      scripts += performance.now() - begin;
    };
  };
  timed(explorer, "tick");
  for (const pane of explorer.panes) timed(pane, "draw");
  const note = (time) => {
    times.push(time);
    if (time - times[0] < 1000 * seconds) requestAnimationFrame(note);
    else {
      const { frame: end, playing } = explorer.state;
      done({ times, scripts, begin, end, playing });
    }
  };
  document.getElementById("speed").value = String(speed);
  document.getElementById("speed").dispatchEvent(new Event("change", { bubbles: true }));
  const { run } = explorer.panes[0];
  const moved = (cycle) => run.firstOfCycle[cycle + 1] - run.firstOfCycle[cycle];
  const all = [...Array(run.cycles).keys()];
  const busiest = all.reduce((one, other) => (moved(other) > moved(one) ? other : one));
  const scrub = document.getElementById("scrub");
  const latest = run.cycles - Math.ceil(seconds * speed) - 2;
  scrub.value = String(Math.max(0, Math.min(busiest, latest)));
  scrub.dispatchEvent(new Event("input", { bubbles: true }));
  const begin = explorer.state.frame;
  explorer.panes[0].pick("node", run.streams.receiver[0]);
  document.getElementById("play").click();
  requestAnimationFrame(note);
})
"""


def measure(browser: Any, spec: str, file: Path, seconds: float, speed: int) -> dict[str, Any]:
    """The figures of one network."""
    design = build_design(spec)
    size = write_page(describe([describe_scene(design, usual_runs(design)[-1:])]), file)
    page = browser.new_context(offline=True, viewport={"width": 1280, "height": 800}).new_page()
    page.add_init_script(FIRST)
    page.goto(file.as_uri())
    first = page.evaluate("firstFrame")
    told = page.evaluate(PLAY, [seconds, speed])
    page.context.close()
    if not told["playing"]:
        raise SystemExit(
            f"{spec}: the run ended before the measurement; lower --speed or --seconds"
        )
    gaps = sorted(later - earlier for earlier, later in pairwise(told["times"]))
    return {
        "network": spec,
        "bytes": size,
        "first_frame_seconds": round(first / 1000, 2),
        "frames_per_second": round(1000 * len(gaps) / sum(gaps), 1),
        "slowest_twentieth_ms": round(gaps[len(gaps) * 19 // 20], 1),
        "script_ms": round(told["scripts"] / len(gaps), 2),
        "cycles": f"{told['begin']} to {told['end']}",
    }


def main() -> None:
    """Measure, and print a line for each network."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("specs", nargs="*", metavar="SPEC", default=["star:4", "star:5", "star:6"])
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--speed", type=int, default=8, help="cycles a second")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    from playwright.sync_api import sync_playwright

    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        # A sandbox of its own is not to be had everywhere.
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        rows = [
            measure(browser, spec, Path(folder) / "page.html", asked.seconds, asked.speed)
            for spec in asked.specs
        ]
        used = f"Chromium {browser.version}, {os.cpu_count()} processors"
    if asked.json:
        print(json.dumps({"browser": used, "rows": rows}, indent=1))
        return
    print(used)
    for row in rows:
        print(", ".join(f"{name} {value}" for name, value in row.items()))


if __name__ == "__main__":
    main()
