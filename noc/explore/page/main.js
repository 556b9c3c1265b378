// The page: reads its document, and draws again whatever a change of the state concerns.

import { bindControls, drawActivity, updateControls } from "./controls.js";
import { readDocument } from "./decode.js";
import { find } from "./elements.js";
import { inspect } from "./inspect.js";
import { Pane } from "./panes.js";
import { actions, newState } from "./state.js";
import { readTheme } from "./theme.js";
import { readRun } from "./transfers.js";
import { tellCycle, tellStep, viewTitle } from "./words.js";

class App {
  constructor(document) {
    this.scenes = document.scenes;
    for (const { network } of this.scenes) {
      network.longestLabel = network.labels.reduce((one, other) => (other.length > one.length ? other : one));
    }
    this.state = newState(this.scenes, document.opens);
    this.runs = new Map();
    this.panes = [];
    this.themeNumber = 0;
    this.still = matchMedia("(prefers-reduced-motion: reduce)");
    this.readTheme();
    for (const query of ["(prefers-color-scheme: dark)", "(prefers-contrast: more)"]) {
      matchMedia(query).addEventListener("change", () => this.readTheme());
    }
  }

  readTheme() {
    this.theme = readTheme(document.documentElement);
    this.themeNumber += 1;
    if (this.panes.length) this.update();
  }

  run({ scene, kind, place }, { program, network }) {
    const key = `${scene} ${kind} ${place}`;
    if (!this.runs.has(key)) {
      this.runs.set(key, readRun(this.scenes[scene][kind][place], program, network.nodes));
    }
    return this.runs.get(key);
  }

  change(action) {
    const before = this.state;
    this.state = action(before);
    if (this.state === before) return;
    if (this.state.playing && !before.playing) this.begin();
    this.update();
  }

  begin() {
    this.time = performance.now();
    requestAnimationFrame((time) => this.tick(time));
  }

  tick(time) {
    if (!this.state.playing) return;
    const { frame } = this.state;
    const seconds = Math.min(0.25, Math.max(0, time - this.time) / 1000);
    this.time = time;
    this.state = actions.advance(this.state, seconds);
    if (this.state.frame !== frame || !this.state.playing) this.update();
    else if (!this.still.matches) this.draw();
    requestAnimationFrame((next) => this.tick(next));
  }

  draw() {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame(() => {
      this.asked = false;
      for (const pane of this.panes) pane.draw();
    });
  }

  // All that is not animation: choices, panel, words.
  update() {
    const { panes } = this.state;
    while (this.panes.length < panes.length) this.panes.push(new Pane(this, this.panes.length));
    this.panes.length = panes.length;
    const shown = find("panes");
    if (shown.childElementCount !== panes.length) shown.replaceChildren(...this.panes.map((pane) => pane.element));
    for (const pane of this.panes) pane.update();
    const active = this.panes[this.state.active];
    const scope = active.scope();
    this.tell();
    this.showPanel(scope);
    this.showActivity();
    this.draw();
  }

  tell() {
    const texts = this.panes.map((pane) => {
      const { scene, run, schedule, pane: choice, frame } = pane.scope();
      const text = run ? tellCycle(scene, run, choice, frame) : tellStep(scene, schedule, choice, frame);
      pane.moves.setAttribute("aria-label", `${viewTitle(scene, pane.choice)}. ${text}`);
      return text;
    });
    const title = this.panes.map((pane) => viewTitle(pane.scene, pane.choice)).join(" – beside – ");
    find("title").textContent = title;
    document.title = `${title} – noc explore`;
    const status = find("status");
    // While the picture moves, nobody could listen to it all.
    status.setAttribute("aria-live", this.state.playing ? "off" : "polite");
    status.textContent = texts.join(" — ");
    const ended = this.state.frame >= this.state.last;
    const runs = this.state.panes.map(({ view }) => this.state.views[view].kind === "runs");
    const { frame } = this.state;
    const now = [...(runs.includes(true) ? [`cycle ${frame}`] : []), ...(runs.includes(false) ? [`step ${frame + 1}`] : [])];
    if (now.length > 1) status.textContent += " (The first step stands beside the first clock cycle, which is cycle 0.)";
    if (!frame && !this.state.playing && texts.length < 2) status.textContent += " Play it, or go on one by one.";
    updateControls(this, ended ? "end" : now.join(", "));
  }

  showPanel(scope) {
    const panel = find("panel");
    const top = panel.scrollTop;
    const inner = [...panel.querySelectorAll(".scroll")].map((list) => list.scrollTop);
    const focused = panel.contains(document.activeElement) ? document.activeElement : null;
    const place = focused ? focusable(panel).indexOf(focused) : -1;
    panel.replaceChildren(...inspect(scope).filter(Boolean));
    if (focused) keepFocus(focusable(panel), focused, place);
    panel.scrollTop = top;
    panel.querySelectorAll(".scroll").forEach((list, place) => (list.scrollTop = inner[place] ?? 0));
  }

  showActivity() {
    const key = this.state.panes.map(({ view, source }) => `${view} ${source}`).join(",");
    if (this.activity === key) return;
    this.activity = key;
    const { run, schedule } = this.panes[0].scope();
    const counts = Array.from({ length: this.state.last }, (_, frame) => {
      if (!run) return schedule.step.filter((step) => step === frame + 1).length;
      return frame < run.cycles ? run.firstOfCycle[frame + 1] - run.firstOfCycle[frame] : 0;
    });
    drawActivity(counts, this.state.last);
  }
}

function focusable(panel) {
  return [...panel.querySelectorAll("button, .scroll")];
}

// The panel is made anew: the focus goes to what says the same, or else to what is at its place.
function keepFocus(elements, focused, place) {
  const same = elements.find((each) => each.tagName === focused.tagName && each.textContent === focused.textContent);
  (same ?? elements[Math.min(place, elements.length - 1)])?.focus({ preventScroll: true });
}

async function start() {
  try {
    const app = new App(await readDocument(find("data").textContent));
    bindControls(app);
    app.update();
    globalThis.explorer = app;
    document.body.dataset.ready = "yes";
  } catch (error) {
    find("status").textContent = error.message;
    throw error;
  }
}

start();
