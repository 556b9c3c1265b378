// The bar with time, and the keys.

import { find, fillSelect, makeSvg } from "./elements.js";
import { SPEEDS, actions, select, setBeside } from "./state.js";

export function bindControls(app) {
  const act = (name, change) => find(name).addEventListener("click", () => app.change(change));
  act("first", (state) => actions.goTo(state, 0));
  act("back", (state) => actions.step(state, -1));
  act("play", actions.toggle);
  act("next", (state) => actions.step(state, 1));
  act("last", (state) => actions.goTo(state, state.last));
  find("scrub").addEventListener("input", (event) => app.change((state) => actions.goTo(state, Number(event.target.value))));
  find("speed").addEventListener("change", (event) => app.change((state) => actions.setSpeed(state, Number(event.target.value))));
  find("heat").addEventListener("change", (event) => app.change((state) => actions.setHeat(state, event.target.value)));
  find("beside").addEventListener("click", () => app.change((state) => setBeside(state, app.scenes, state.panes.length < 2)));
  find("help").addEventListener("click", () => find("keys").showModal());
  // On a phone, choices that are made seldom are hidden until they are asked for.
  find("more").addEventListener("click", () => find("more").setAttribute("aria-expanded", document.body.classList.toggle("more")));
  fillSelect(find("speed"), SPEEDS.map((speed) => [speed, `${speed} a second`]), app.state.speed);
  document.addEventListener("keydown", (event) => onKey(app, event));
}

// What a key does to the state; null for keys that the page leaves alone.
export function keyAction(key, state, nodes) {
  const { node } = state.panes[state.active];
  const choose = (by) => select(state, "node", (((node < 0 ? (by > 0 ? -1 : 0) : node) + by) % nodes + nodes) % nodes);
  const keys = {
    " ": () => actions.toggle(state),
    ArrowRight: () => actions.step(state, 1),
    ArrowLeft: () => actions.step(state, -1),
    Home: () => actions.goTo(state, 0),
    End: () => actions.goTo(state, state.last),
    ArrowUp: () => actions.faster(state, 1),
    ArrowDown: () => actions.faster(state, -1),
    n: () => choose(1),
    p: () => choose(-1),
    t: () => select(state, "source", node === state.panes[state.active].source ? -1 : node),
    o: () => actions.activate(state, (state.active + 1) % state.panes.length),
    Escape: () => select(select(state, "node", -1), "word", -1),
  };
  return keys[key] ?? null;
}

// Keys that a field or a button has a use of its own for are left to it.
const OWN_KEYS = { SELECT: /./, INPUT: /./, BUTTON: /^( |Enter)$/, DIALOG: /./ };

function onKey(app, event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const own = OWN_KEYS[event.target.tagName];
  if ((own && own.test(event.key)) || find("keys").open) return;
  if (event.key === "?") {
    find("keys").showModal();
    return;
  }
  const nodes = app.scenes[app.state.views[app.state.panes[app.state.active].view].scene].network.nodes;
  const action = keyAction(event.key, app.state, nodes);
  if (!action) return;
  // Arrows would scroll a list that has the focus.
  if (event.target.closest(".scroll") && event.key.startsWith("Arrow")) return;
  event.preventDefault();
  app.change(action);
}

// The bar, as the state says.
export function updateControls(app, frameName) {
  const { state } = app;
  const scrub = find("scrub");
  scrub.max = state.last;
  scrub.value = state.frame;
  scrub.setAttribute("aria-valuetext", frameName);
  find("frame").textContent = frameName;
  find("play").setAttribute("aria-label", state.playing ? "Pause" : "Play");
  find("play").classList.toggle("playing", state.playing);
  find("speed").value = state.speed;
  find("heat").value = state.heat;
  find("beside").setAttribute("aria-pressed", state.panes.length > 1);
}

// How much moves in each frame, above the slider.
export function drawActivity(counts, last) {
  const most = Math.max(1, ...counts);
  let path = "M0,24";
  counts.forEach((count, frame) => (path += `H${frame}V${(24 - (22 * count) / most).toFixed(1)}`));
  find("activity").replaceChildren(
    makeSvg("svg", { viewBox: `0 0 ${Math.max(1, last)} 24`, preserveAspectRatio: "none", "aria-hidden": "true" }, makeSvg("path", { d: `${path}V24Z` })),
  );
}
