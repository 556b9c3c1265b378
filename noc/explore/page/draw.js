// The pictures: links, trees and heat, which seldom change; nodes and words, which move.

import { MOVES, heatOf, occupancy, transfersIn } from "./transfers.js";
import { along, between, control, pointOf, radiusOf } from "./geometry.js";
import { classOf, tracePath } from "./theme.js";

const FAINT = 0.28;

// Nodes of so few pixels have no marks, and no rings that open.
const SMALL = 5;

// From so many pixels between nodes on, words have their data written beside them.
const ROOMY = 90;

// A canvas for these: { context, theme, view, scene, ... } as a pane puts it together.
export function drawLinks(scope) {
  const { context, theme, view, scene, tree, schedule } = scope;
  const { network } = scene;
  const wide = Math.max(0.6, Math.min(1.6, view.scale / 40));
  context.lineCap = "round";
  eachLink(network, (node, port, back) => {
    stroke(context, control(view, network, node, port), theme.line, wide);
    if (!back) arrow(context, control(view, network, node, port), 0.55, theme.line, 3 + wide);
  });
  if (scope.heat) drawHeat(scope);
  if (tree) drawTree(scope, tree);
  if (schedule) drawSchedule(scope, schedule);
}

// Every line once: two-way links at the end with the lower number, or at the lower port.
function eachLink(network, draw) {
  network.neighbour.forEach((ends, node) =>
    ends.forEach((there, port) => {
      if (there < 0) return;
      const far = network.arrival[node][port];
      const back = network.neighbour[there][far] === node && network.arrival[there][far] === port;
      if (!back || node < there) draw(node, port, back);
    }),
  );
}

function stroke(context, { start, middle, end }, colour, width, dash = []) {
  context.beginPath();
  context.setLineDash(dash);
  context.strokeStyle = colour;
  context.lineWidth = width;
  context.moveTo(start.x, start.y);
  context.quadraticCurveTo(middle.x, middle.y, end.x, end.y);
  context.stroke();
  context.setLineDash([]);
}

function arrow(context, curve, share, colour, size) {
  const { x, y, angle } = along(curve, share);
  context.save();
  context.translate(x, y);
  context.rotate(angle);
  context.beginPath();
  context.moveTo(size * 1.2, 0);
  context.lineTo(-size * 0.8, size * 0.85);
  context.lineTo(-size * 0.8, -size * 0.85);
  context.closePath();
  context.fillStyle = colour;
  context.fill();
  context.restore();
}

// How much each stream carried, or how long words waited before it, as width and colour.
function drawHeat({ context, theme, view, scene, run, heat }) {
  if (!run) return;
  const values = heatOf(run, heat);
  const most = Math.max(1, ...values.filter((_, number) => MOVES.has(run.streams.kind[number])));
  const byLink = new Map();
  values.forEach((value, number) => {
    if (!MOVES.has(run.streams.kind[number]) || !value) return;
    const { sender, port } = run.streams;
    const link = `${sender[number]} ${port[number]}`;
    byLink.set(link, (byLink.get(link) ?? 0) + value);
  });
  for (const [link, value] of byLink) {
    const [node, port] = link.split(" ").map(Number);
    const share = Math.min(1, value / most);
    const curve = beside(control(view, scene.network, node, port), 2.5);
    context.globalAlpha = 0.35 + 0.65 * share;
    stroke(context, curve, heat === "wait" ? theme.warm : theme.accent, 0.8 + 6 * share);
    context.globalAlpha = 1;
  }
}

// The same curve a little to the right of its way, so that both ways of a link are seen.
function beside(curve, by) {
  const dx = curve.end.x - curve.start.x;
  const dy = curve.end.y - curve.start.y;
  const length = Math.hypot(dx, dy) || 1;
  const shift = ({ x, y }) => ({ x: x - (by * dy) / length, y: y + (by * dx) / length });
  return { start: shift(curve.start), middle: shift(curve.middle), end: shift(curve.end) };
}

function drawTree({ context, theme, view, scene }, tree) {
  const size = Math.max(3.5, Math.min(7, view.scale / 12));
  tree.parent.forEach((above, node) => {
    if (above < 0) return;
    const curve = beside(control(view, scene.network, above, tree.port[node]), 1.5);
    stroke(context, curve, theme.down, Math.max(1.4, size / 2.6));
    arrow(context, curve, 0.6, theme.down, size);
  });
  for (const { node, port } of tree.up) {
    const curve = beside(control(view, scene.network, node, port), 1.5);
    stroke(context, curve, theme.up, Math.max(2, size / 2), [7, 4]);
    arrow(context, curve, 0.6, theme.up, size * 1.1);
  }
}

// What has been sent before the step, and what is sent in it.
function drawSchedule({ context, theme, view, scene, frame }, tree) {
  const size = Math.max(3, Math.min(7, view.scale / 12));
  tree.parent.forEach((above, node) => {
    if (above < 0 || tree.step[node] > frame) return;
    const curve = control(view, scene.network, above, tree.port[node]);
    stroke(context, curve, theme.down, Math.max(1.2, size / 3));
  });
}

export function drawNodes(scope) {
  const { context, view, scene, theme } = scope;
  const radius = radiusOf(view);
  const labels = labelStyle(context, theme, view, scene.network, radius);
  const reached = scope.run && scope.pane.word >= 0 ? scope.reached : null;
  for (let node = 0; node < scene.network.nodes; node++) {
    const point = pointOf(view, scene.network, node);
    drawNode(scope, node, point, radius, lookOf(scope, node, reached));
    if (labels) drawLabel(scope, node, point, radius, labels);
  }
  if (!labels) hint(scope, "Zoom in, or point at a node, to see names.");
  for (const node of new Set([scope.hover, scope.pane.node])) {
    if (node >= 0 && (!labels || labels.below)) tagNode(scope, node, radius);
  }
}

// Sinks that take a word, where nodes are too small for a ring that opens.
export function drawSmallEnds(scope) {
  const { context, theme, view, scene, run, frame } = scope;
  const radius = radiusOf(view);
  if (!run || radius > SMALL) return;
  const { kind, sender } = run.streams;
  for (const place of transfersIn(run, frame)) {
    if (kind[run.stream[place]] !== "eject") continue;
    const at = pointOf(view, scene.network, sender[run.stream[place]]);
    context.globalAlpha = isFaint(scope, run.word[place]) ? FAINT : 1;
    ring(context, at.x, at.y, radius, theme.words[classOf(scene, run, run.word[place])], 1.4);
  }
  context.globalAlpha = 1;
}

// How a node looks: how full it is, and what is written in it if there is room for little.
function lookOf({ run, schedule, tree, scene, frame, pane }, node, reached) {
  const root = scene.program.root === node && !schedule;
  const { unit } = run ?? {};
  if (schedule) {
    const step = schedule.step[node];
    const now = step === frame + 1;
    return { fill: step <= frame ? 1 : 0, now, text: step <= frame + (now ? 1 : 0) ? String(step) : "", root: schedule.root === node };
  }
  const held = occupancy(run, node, frame);
  const text = tree && tree.depth[node] >= 0 ? String(tree.depth[node]) : "";
  const source = pane.source === node;
  if (reached) {
    return { fill: reached[node] >= 0 && reached[node] <= frame ? 1 : 0, text, root, source, now: reached[node] === frame };
  }
  // In steps nodes keep what they have: full is who has every word.
  return { fill: Math.min(1, held / (unit === "step" ? run.words.source.length : 4)), held, text, root, source };
}

function drawNode({ context, theme, pane, hover }, node, { x, y }, radius, look) {
  context.beginPath();
  if (look.root) context.rect(x - radius, y - radius, 2 * radius, 2 * radius);
  else context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fillStyle = theme.node;
  context.fill();
  if (look.fill > 0) {
    context.globalAlpha = 0.14 + 0.42 * look.fill;
    context.fillStyle = theme.full;
    context.fill();
    context.globalAlpha = 1;
  }
  const chosen = pane.node === node;
  context.strokeStyle = chosen || look.source ? theme.accent : theme.edge;
  context.lineWidth = chosen ? 3.5 : look.now ? 2.6 : hover === node ? 2.2 : Math.max(0.8, radius / 14);
  context.stroke();
  if (look.source) ring(context, x, y, radius + 4, theme.up, 2.4, [3, 3]);
}

function ring(context, x, y, radius, colour, width, dash = []) {
  context.beginPath();
  context.setLineDash(dash);
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.strokeStyle = colour;
  context.lineWidth = width;
  context.stroke();
  context.setLineDash([]);
}

// Labels stand in the nodes if there is room, or else below, or are not drawn at all.
function labelStyle(context, theme, view, network, radius) {
  const longest = network.longestLabel;
  for (const size of [13, 12, 11, 10, 9]) {
    context.font = `600 ${size}px ${theme.font}`;
    const width = context.measureText(longest).width;
    if (width <= 2 * radius - 4) return { size, below: false };
  }
  context.font = `600 11px ${theme.font}`;
  const width = context.measureText(longest).width;
  return width + 6 < view.scale && view.scale > 2 * radius + 18 ? { size: 11, below: true } : null;
}

function drawLabel(scope, node, { x, y }, radius, { size, below }) {
  const { context, theme, scene } = scope;
  context.font = `600 ${size}px ${theme.font}`;
  const label = scene.network.labels[node];
  if (below) halo(context, theme, label, x, y + radius + size * 0.85);
  else write(context, theme.text, label, x, y);
}

function tagNode({ context, theme, view, scene }, node, radius) {
  const { x, y } = pointOf(view, scene.network, node);
  context.font = `700 13px ${theme.font}`;
  halo(context, theme, scene.network.labels[node], x, y - radius - 10);
}

function write(context, colour, text, x, y) {
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.fillStyle = colour;
  context.fillText(text, x, y + 0.5);
}

function hint({ context, theme, height }, text) {
  context.font = `12px ${theme.font}`;
  context.textAlign = "left";
  context.textBaseline = "bottom";
  context.fillStyle = theme.muted;
  context.fillText(text, 12, height - 6);
}

function halo(context, theme, text, x, y) {
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.lineJoin = "round";
  context.lineWidth = 4;
  context.strokeStyle = theme.back;
  context.strokeText(text, x, y);
  context.fillStyle = theme.text;
  context.fillText(text, x, y);
}

// Depths, steps, and how many words a node holds: a small mark at its upper right, or in it.
export function drawMarks(scope) {
  const { context, theme, view, scene } = scope;
  const radius = radiusOf(view);
  if (radius < SMALL) return;
  const labelled = labelStyle(context, theme, view, scene.network, radius);
  const inside = !labelled || labelled.below;
  for (let node = 0; node < scene.network.nodes; node++) {
    const look = lookOf(scope, node, scope.pane.word >= 0 ? scope.reached : null);
    const text = look.text || (look.held > 0 && scope.showHeld ? String(look.held) : "");
    if (!text) continue;
    const { x, y } = pointOf(view, scene.network, node);
    context.font = `700 ${Math.max(8, Math.min(12, radius * 0.95))}px ${theme.font}`;
    if (inside) write(context, theme.text, text, x, y);
    else badge(context, theme, text, x + radius * 0.8, y - radius * 0.8);
  }
}

function badge(context, theme, text, x, y) {
  const width = Math.max(16, context.measureText(text).width + 8);
  context.beginPath();
  context.roundRect(x - width / 2, y - 8, width, 16, 8);
  context.fillStyle = theme.back;
  context.fill();
  context.strokeStyle = theme.edge;
  context.lineWidth = 1;
  context.stroke();
  write(context, theme.text, text, x, y);
}

// The links on which words move in this cycle, under the nodes.
export function drawTrails(scope) {
  for (const { curve, look, faint, size } of scope.moves) {
    scope.context.globalAlpha = faint ? FAINT * 0.6 : 0.55;
    trail(scope, curve, scope.theme.words[look], size);
  }
  scope.context.globalAlpha = 1;
}

// And these words, with those that enter or leave the network.
export function drawWords(scope) {
  const { context, theme, view, phase } = scope;
  const radius = radiusOf(view);
  for (const { curve, look, faint, size, data, begin, end } of scope.moves) {
    context.globalAlpha = faint ? FAINT : 1;
    const at = along(curve, begin + (end - begin) * phase);
    token(context, theme, look, at, size);
    if (data !== undefined && view.scale > ROOMY) {
      context.font = `700 11px ${theme.font}`;
      halo(context, theme, String(data), at.x + size + 9, at.y - size - 4);
    }
  }
  context.globalAlpha = 1;
  if (scope.run && radius > SMALL) drawEnds(scope, radius);
}

// What moves along links in this cycle or step: the curve, of which the part between the nodes is
// seen, the look of the word, and whether another word is followed.
export function movesOf(scope) {
  const moves = scope.schedule ? sendsOf(scope, scope.schedule) : transfersOf(scope);
  const radius = radiusOf(scope.view);
  for (const move of moves) [move.begin, move.end] = between(move.curve, radius);
  return moves;
}

// With one word followed, or the tree of one source shown, other words are faint.
function isFaint({ run, pane, tree }, word) {
  if (pane.word >= 0) return pane.word !== word;
  return Boolean(tree) && word >= 0 && run.words.source[word] >= 0 && run.words.source[word] !== tree.source;
}

function transfersOf(scope) {
  const { view, scene, run, pane, frame } = scope;
  const size = tokenSize(view);
  const { kind, sender, port } = run.streams;
  const moves = [];
  for (const place of transfersIn(run, frame)) {
    const number = run.stream[place];
    if (!MOVES.has(kind[number])) continue;
    const followed = pane.word === run.word[place];
    moves.push({
      curve: beside(control(view, scene.network, sender[number], port[number]), size * 0.75),
      look: classOf(scene, run, run.word[place]),
      faint: isFaint(scope, run.word[place]),
      size: followed ? size * 1.4 : size,
      data: run.data?.[place],
    });
  }
  return moves;
}

function sendsOf({ view, scene, frame }, tree) {
  const size = tokenSize(view);
  return tree.parent.flatMap((above, node) =>
    above < 0 || tree.step[node] !== frame + 1
      ? []
      : [{ curve: control(view, scene.network, above, tree.port[node]), look: 1, faint: false, size }],
  );
}

function tokenSize(view) {
  return Math.max(2.4, Math.min(7.5, view.scale * 0.085));
}

// Words that enter, sinks that take one, and alarms.
function drawEnds(scope, radius) {
  const { context, theme, view, scene, run, frame, phase } = scope;
  const size = tokenSize(view);
  const { kind, sender, receiver } = run.streams;
  for (const place of transfersIn(run, frame)) {
    const number = run.stream[place];
    if (MOVES.has(kind[number])) continue;
    const look = classOf(scene, run, run.word[place]);
    const at = pointOf(view, scene.network, Math.max(sender[number], receiver[number]));
    context.globalAlpha = isFaint(scope, run.word[place]) ? FAINT : 1;
    if (kind[number] === "eject") {
      ring(context, at.x, at.y, radius + 1.5 + 3 * phase, theme.words[look], Math.max(1, size / 3));
    } else if (kind[number] === "inject") {
      const away = (radius + 2.4 * size) * (1.25 - phase * 0.6);
      token(context, theme, look, { x: at.x - away * 0.7, y: at.y - away * 0.7 }, size);
    } else if (kind[number] === "sum") {
      token(context, theme, look, at, size * (1 + phase));
    } else {
      context.font = `800 ${Math.max(14, radius)}px ${theme.font}`;
      halo(context, { ...theme, text: theme.warm }, "!", at.x, at.y - radius - 8);
    }
  }
  context.globalAlpha = 1;
}

function trail({ context, view }, curve, colour, size) {
  stroke(context, curve, colour, Math.max(1.2, size * 0.5));
  const [, end] = between(curve, radiusOf(view) + size);
  context.globalAlpha *= 1.5;
  if (size > 3.2) arrow(context, curve, end, colour, size * 0.75);
}

function token(context, theme, look, { x, y }, size) {
  tracePath(context, look, x, y, size);
  context.fillStyle = theme.words[look];
  context.fill();
  context.lineWidth = size > 4 ? 1.6 : 0.8;
  context.strokeStyle = theme.back;
  context.stroke();
}
