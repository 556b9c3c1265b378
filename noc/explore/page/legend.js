// What a picture shows, in a sentence, and what its signs mean.

import { make, makeSvg } from "./elements.js";
import { sample } from "./wave.js";
import { looksOf } from "./theme.js";

export function explain({ scene, run, schedule, schedules }) {
  const { labels, nodes } = scene.network;
  if (schedule) {
    const ports = schedules.ports === "one" ? "one of its ports" : "all of its ports";
    return `One word goes from ${labels[schedule.root]} to all ${nodes} nodes. In each step, a node that has it can send it on ${ports}.`;
  }
  if (run.unit === "step") return `In steps, as the papers count them: ${run.what}. Nodes keep what they receive.`;
  const { fabric, operations } = scene.program;
  if (operations) return "In the clock cycles of the hardware: words climb to the root, the square, are joined on their way if their operation says so, and come down.";
  const word = run.words.source.length === 1 ? "the word" : "each word";
  if (run.words.sum) return `In the clock cycles of the hardware: words of all nodes are added up on their way to a root, and the sums come from there; ${run.what}, and a round has ${scene.program.round === 1 ? "one cycle" : `${scene.program.round} cycles`}.`;
  if (fabric === "timetable") return `In the clock cycles of the hardware, ${run.what}: in rounds of ${scene.program.round} cycles; what each link carries follows from the cycle alone.`;
  const { slices } = scene.program;
  const along = slices ? `in ${slices} slices, each along a tree of its own` : "along a tree";
  const way = fabric === "ordered" ? `${word} climbs to the root, the square, and comes down to all nodes` : `${word} goes from its sender to all nodes ${along}`;
  return `In the clock cycles of the hardware, ${run.what}: ${way}.`;
}

// The signs of a picture: what each looks like, and what it means.
export function signsOf({ scene, run, schedule, tree, theme, pane }) {
  const word = (look, text) => [sample(theme, look), text];
  if (schedule) {
    return [
      [sign("root"), "root: it sends first"],
      [sign("node", "full"), "has the word"],
      [sign("node now"), "receives it in this step"],
      word(1, "the word on its way"),
      [sign("badge"), "the step in which a node receives"],
    ];
  }
  run.looks ??= looksOf(scene, run);
  const steps = run.unit === "step";
  const held = steps ? "has words; full: all of them" : "holds words; full: four or more";
  return [
    ...(scene.program.root === undefined ? [] : [[sign("root"), "root of the trees"]]),
    [sign("node", "full"), pane.word >= 0 ? "has had the followed word" : held],
    ...(steps ? [] : [[sign("node ring"), "takes a word"]]),
    word(0, run.looks.by === "order" ? "a word on its way; the next ones look different" : `a word on its way; looks tell its ${run.looks.by}`),
    [sign("badge"), tree ? "hops from the sender" : `how many ${scene.program.slices ? "slices" : "words"} a node has`],
  ];
}

export function legendOf(scope) {
  return signsOf(scope).map(([picture, text]) => make("li", {}, picture, text));
}

function sign(kind, fill = "") {
  const shape = {
    root: () => [makeSvg("rect", { x: 2.5, y: 2.5, width: 11, height: 11 })],
    node: () => [makeSvg("circle", { cx: 8, cy: 8, r: 6 }), ...(fill ? [makeSvg("circle", { class: fill, cx: 8, cy: 8, r: 6 })] : [])],
    "node now": () => [makeSvg("circle", { class: "now", cx: 8, cy: 8, r: 6 })],
    "node ring": () => [makeSvg("circle", { cx: 8, cy: 8, r: 4.5 }), makeSvg("circle", { class: "ring", cx: 8, cy: 8, r: 7 })],
    badge: () => [makeSvg("rect", { x: 1, y: 2.5, width: 14, height: 11, rx: 5.5 }), makeSvg("text", { x: 8, y: 11.5 }, "3")],
  }[kind];
  return makeSvg("svg", { viewBox: "0 0 16 16", class: "sample sign", "aria-hidden": "true" }, shape());
}
