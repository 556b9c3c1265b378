// A pane: one picture with its own choice of run, source, node and word.

import { drawLinks, drawMarks, drawNodes, drawSmallEnds, drawTrails, drawWords, movesOf } from "./draw.js";
import { make, fillSelect } from "./elements.js";
import { fit, moved, nodeAt, radiusOf, zoomed } from "./geometry.js";
import { NONE, RESTING, actions, select, setView } from "./state.js";
import { arrivals } from "./transfers.js";
import { scheduleFrom, treeOf } from "./trees.js";
import { explain, legendOf } from "./legend.js";
import { viewName } from "./words.js";

const REACH = 16;
const TOUCH_REACH = 26;
const STILL = 4;

export class Pane {
  constructor(app, number) {
    this.app = app;
    this.number = number;
    this.hover = NONE;
    this.pointers = new Map();
    this.links = make("canvas", { "aria-hidden": "true" });
    this.trails = make("canvas", { "aria-hidden": "true" });
    this.moves = make("canvas", { tabindex: "0", role: "img" });
    // Above what moves, so that names and numbers are read.
    this.nodes = make("canvas", { class: "over", "aria-hidden": "true" });
    this.stage = make("div", { class: "stage" }, this.layers);
    this.chooseView = make("select", { onchange: (event) => this.showView(Number(event.target.value)) });
    this.chooseSource = make("select", { onchange: (event) => this.pick("source", Number(event.target.value)) });
    this.chooseNode = make("select", { onchange: (event) => this.pick("node", Number(event.target.value)) });
    this.chooseWord = make("input", { type: "number", min: "0", placeholder: "all", oninput: (event) => this.follow(event.target.value) });
    this.wordField = field("Follow word", this.chooseWord, "extra");
    this.sourceField = field("Tree from", this.chooseSource, "extra");
    this.about = make("p", { class: "about" });
    this.legend = make("ul", { class: "key", "aria-label": "Legend" });
    this.element = make(
      "figure",
      { class: "pane" },
      make("figcaption", {}, field("Show", this.chooseView, "view"), this.sourceField, field("Node", this.chooseNode, "extra"), this.wordField),
      make("div", { class: "said" }, this.about, this.zoomButtons()),
      this.stage,
      this.legend,
    );
    this.listen();
    new ResizeObserver(() => this.resize()).observe(this.stage);
  }

  zoomButtons() {
    const button = (name, label, act) => make("button", { type: "button", "aria-label": label, title: label, onclick: act }, name);
    const middle = (factor) => () => this.zoom(factor, this.width / 2, this.height / 2);
    return make("div", { class: "zoom extra" }, button("+", "Zoom in", middle(1.4)), button("−", "Zoom out", middle(1 / 1.4)), button("⤢", "Whole network", () => this.reset()));
  }

  // From the lowest to the highest.
  get layers() {
    return [this.links, this.trails, this.moves, this.nodes];
  }

  get pane() {
    return this.app.state.panes[this.number];
  }

  get choice() {
    return this.app.state.views[this.pane.view];
  }

  get scene() {
    return this.app.scenes[this.choice.scene];
  }

  // In plays, nodes do nothing but keep and send what they have.
  get played() {
    const { scene, choice } = this;
    const { source } = scene[choice.kind][choice.place].words;
    const program = { fabric: "steps", sources: [...new Set(source)] };
    return this.kept("played", `${choice.scene} ${choice.place}`, () => ({ ...scene, program }));
  }

  pick(what, value) {
    this.app.change((state) => select(actions.activate(state, this.number), what, value, this.number));
  }

  follow(text) {
    const word = text === "" ? NONE : Number(text);
    const words = this.run ? this.run.words.source.length : 0;
    this.pick("word", Number.isInteger(word) && word < words ? word : NONE);
  }

  showView(view) {
    const before = this.scene;
    this.app.change((state) => setView(actions.activate(state, this.number), this.app.scenes, view, this.number));
    if (this.scene !== before) this.reset();
  }

  resize() {
    const ratio = window.devicePixelRatio || 1;
    const { width, height } = this.stage.getBoundingClientRect();
    if (width < 1 || height < 1) return;
    [this.width, this.height] = [width, height];
    for (const canvas of this.layers) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
      canvas.getContext("2d").setTransform(ratio, 0, 0, ratio, 0, 0);
    }
    this.reset();
  }

  reset() {
    if (!this.width) return;
    this.view = fit(this.scene.network, this.width, this.height);
    this.drawn = null;
    this.app.draw();
  }

  zoom(factor, x, y) {
    this.setView(zoomed(this.view, factor, x, y));
  }

  setView(view) {
    this.view = view;
    this.drawn = null;
    this.app.draw();
  }

  listen() {
    const { moves } = this;
    moves.addEventListener("pointerdown", (event) => this.down(event));
    moves.addEventListener("pointermove", (event) => this.move(event));
    for (const name of ["pointerup", "pointercancel"]) moves.addEventListener(name, (event) => this.up(event));
    moves.addEventListener("pointerleave", () => this.setHover(NONE));
    moves.addEventListener("dblclick", (event) => this.pick("source", this.under(event)));
    moves.addEventListener("focus", () => this.app.change((state) => actions.activate(state, this.number)));
    moves.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        this.zoom(Math.exp(-event.deltaY / 500), event.offsetX, event.offsetY);
      },
      { passive: false },
    );
  }

  under(event) {
    const reach = event.pointerType === "touch" ? TOUCH_REACH : REACH;
    return nodeAt(this.view, this.scene.network, event.offsetX, event.offsetY, Math.max(reach, radiusOf(this.view)));
  }

  down(event) {
    this.moves.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
    this.travelled = this.pointers.size > 1 ? Infinity : 0;
  }

  move(event) {
    const before = this.pointers.get(event.pointerId);
    if (!before) {
      this.setHover(this.under(event));
      return;
    }
    const now = { x: event.offsetX, y: event.offsetY };
    this.travelled += Math.hypot(now.x - before.x, now.y - before.y);
    const others = [...this.pointers].filter(([id]) => id !== event.pointerId).map(([, point]) => point);
    this.pointers.set(event.pointerId, now);
    if (others.length) {
      const [other] = others;
      const length = (point) => Math.hypot(point.x - other.x, point.y - other.y) || 1;
      this.zoom(length(now) / length(before), (now.x + other.x) / 2, (now.y + other.y) / 2);
    } else if (this.travelled > STILL) {
      this.setView(moved(this.view, now.x - before.x, now.y - before.y));
    }
  }

  up(event) {
    if (this.pointers.delete(event.pointerId) && this.travelled <= STILL && event.type === "pointerup") {
      this.pick("node", this.under(event));
    }
  }

  setHover(node) {
    if (node === this.hover) return;
    this.hover = node;
    this.moves.style.cursor = node >= 0 ? "pointer" : "grab";
    this.app.draw();
  }

  // What the picture and the panel beside it need, put together.
  scope() {
    const { state, theme } = this.app;
    const { choice, pane } = this;
    const scene = choice.kind === "plays" ? this.played : this.scene;
    const run = choice.kind === "schedules" ? null : this.app.run(choice, scene);
    const schedules = choice.kind === "schedules" ? scene.schedules[choice.place] : null;
    const schedule = schedules ? this.kept("schedule", `${pane.view} ${pane.source}`, () => scheduleFrom(schedules, scene.network, Math.max(pane.source, 0))) : null;
    const tree = choice.kind === "runs" && pane.source >= 0 ? this.treeFrom(scene, run, pane) : null;
    const reached = run && pane.word >= 0 ? this.kept("reached", `${pane.view} ${pane.word}`, () => arrivals(run, pane.word)) : null;
    this.run = run;
    const last = run ? run.cycles : schedule.steps;
    return {
      theme, scene, run, schedule, schedules, tree, reached, pane,
      view: this.view,
      hover: this.hover,
      frame: Math.min(state.frame, last),
      // For readers who want no motion, words rest on their links.
      phase: this.app.still.matches ? RESTING : state.phase,
      heat: state.heat === "none" || schedule ? null : state.heat,
      showHeld: !tree,
      follow: (word) => this.pick("word", word),
      showTree: () => this.pick("source", pane.node),
    };
  }

  // Of several trees of a source the first, or the one that its followed word takes.
  treeFrom({ program, network }, { words }, { view, source, word }) {
    const number = words.source[word] === source ? (words.tree?.[word] ?? 0) : 0;
    return this.kept("tree", `${view} ${source} ${number}`, () => treeOf(program, network, source, number));
  }

  // The last result, as long as it is of the same things.
  kept(name, key, compute) {
    this.results ??= {};
    if (this.results[name]?.key !== key) this.results[name] = { key, value: compute() };
    return this.results[name].value;
  }

  // What hardly changes, what changes with the cycle, and what moves.
  draw() {
    if (!this.view) return;
    const scope = this.scope();
    const { view, source, node, word } = this.pane;
    const frame = scope.schedule ? scope.frame : "";
    const links = [view, source, word, this.app.state.heat, this.app.themeNumber, frame].join(" ");
    if (this.drawn?.links !== links) {
      this.paint(this.links, scope, [drawLinks]);
      this.drawn = { links };
    }
    const nodes = [scope.frame, node, word, this.hover].join(" ");
    if (this.drawn.nodes !== nodes) {
      this.moving = movesOf(scope);
      this.paint(this.trails, { ...scope, moves: this.moving }, [drawTrails]);
      this.paint(this.nodes, { ...scope, height: this.height }, [drawNodes, drawSmallEnds, drawMarks]);
      this.drawn.nodes = nodes;
    }
    this.paint(this.moves, { ...scope, moves: this.moving }, [drawWords]);
  }

  paint(canvas, scope, layers) {
    const context = canvas.getContext("2d");
    context.clearRect(0, 0, this.width, this.height);
    for (const layer of layers) layer({ ...scope, context });
  }

  // The choices above the picture.
  update() {
    const { scenes, state } = this.app;
    const { scene, pane, choice } = this;
    this.element.classList.toggle("active", state.panes.length > 1 && state.active === this.number);
    const runs = choice.kind === "runs";
    const steps = choice.kind === "schedules";
    const key = `${pane.view} ${state.views.length}`;
    if (this.listed !== key) {
      this.listed = key;
      fillSelect(this.chooseView, state.views.map((view, place) => [place, viewName(scenes, view)]), pane.view);
      const labels = scene.network.labels.map((label, node) => [node, label]);
      const sources = steps ? this.roots() : scene.program.sources;
      fillSelect(this.chooseSource, [[NONE, steps ? scene.network.labels[sources[0]] : "none"], ...sources.slice(steps ? 1 : 0).map((node) => labels[node])], pane.source);
      fillSelect(this.chooseNode, [[NONE, "none"], ...labels], pane.node);
      this.wordField.hidden = steps;
      this.sourceField.hidden = !runs && !steps;
    }
    const signs = `${key} ${pane.source} ${pane.word} ${this.app.themeNumber}`;
    if (this.signs !== signs) {
      this.signs = signs;
      const scope = this.scope();
      this.about.textContent = explain(scope);
      this.legend.replaceChildren(...legendOf(scope));
    }
    this.chooseView.value = pane.view;
    this.chooseSource.value = pane.source;
    this.chooseNode.value = pane.node;
    if (document.activeElement !== this.chooseWord) this.chooseWord.value = pane.word < 0 ? "" : pane.word;
  }

  // From where a broadcast in steps is known.
  roots() {
    const schedule = this.scene.schedules[this.choice.place];
    return schedule.anyRoot ? this.scene.network.labels.map((_, node) => node) : Object.keys(schedule.from).map(Number);
  }
}

function field(name, control, more = "") {
  return make("label", { class: `field ${more}` }, make("span", {}, name), control);
}
