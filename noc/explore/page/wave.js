// Of one node: what its streams transfer cycle by cycle, and how many words it holds.

import { makeSvg } from "./elements.js";
import { nextTransfer, signalsOf, transferOf } from "./transfers.js";
import { classOf, corners } from "./theme.js";

const CELL = 26;
const ROW = 22;
const SIGNAL = 13;
const NAME = 92;
const CYCLES = 11;
const STRIP = 34;

export function streamName(scene, run, number) {
  const { kind, sender, receiver, group } = run.streams;
  const { labels } = scene.network;
  const joined = kind[number] === "join" && scene.program.groups.length > 1 ? ` (${scene.program.groups[group[number]].name})` : "";
  if (["inject", "eject", "sum"].includes(kind[number])) return { into: kind[number], out: kind[number] };
  const arrow = { up: "↑", down: "↓", join: "⊕", link: "→" }[kind[number]];
  return { into: `${arrow} from ${labels[sender[number]]}${joined}`, out: `${arrow} to ${labels[receiver[number]]}${joined}` };
}

// For each stream boxes with the number of the word, a line where there is none, and below them,
// where they are known, valid and ready.
export function waveOf(scene, run, theme, node, frame) {
  const streams = run.streamsOf[node];
  const rows = [
    ...streams.into.map((number) => [number, streamName(scene, run, number).into]),
    ...streams.out.map((number) => [number, streamName(scene, run, number).out]),
  ];
  const begin = Math.max(0, Math.min(frame - (CYCLES >> 1), run.cycles - CYCLES));
  const width = NAME + CYCLES * CELL + 2;
  const step = ROW + (run.hasSignals ? 2 * SIGNAL + 4 : 0);
  const height = ROW + rows.length * step + 4;
  const parts = [
    makeSvg("rect", { x: NAME + (frame - begin) * CELL, y: 0, width: CELL, height, class: "cursor" }),
    ...Array.from({ length: CYCLES }, (_, at) => text(NAME + (at + 0.5) * CELL, ROW * 0.6, String(begin + at + run.begin), "tick")),
  ];
  rows.forEach(([number, name], place) => {
    const y = ROW + place * step;
    parts.push(text(NAME - 8, y + ROW * 0.6, shortened(name), "name"));
    if (run.hasSignals) parts.push(...signalRows(run, number, begin, y));
    for (let at = 0; at < CYCLES; at++) {
      const found = transferOf(run, number, begin + at);
      const x = NAME + at * CELL;
      const waits = run.hasSignals && found < 0 && signalsOf(run, number, begin + at);
      if (found >= 0) parts.push(...box(x, y, "word", theme.words[classOf(scene, run, run.word[found])], shownIn(run, found)));
      else if (waits.valid) parts.push(...box(x, y, "waiting", theme.words[classOf(scene, run, waits.word)], waitingIn(run, number, begin + at, waits.word)));
      else parts.push(makeSvg("line", { x1: x, x2: x + CELL, y1: y + ROW - 4, y2: y + ROW - 4, class: "low" }));
    }
  });
  const label = `Transfers of ${scene.network.labels[node]} in ${run.unit}s ${begin + run.begin} to ${begin + run.begin + CYCLES - 1}${run.hasSignals ? tellSignals(run, rows, frame) : ""}`;
  return makeSvg("svg", { viewBox: `0 0 ${width} ${height}`, class: "wave", role: "img", "aria-label": label }, parts);
}

// valid and ready of a stream below its words: high or low in each cycle, with an edge between.
function signalRows(run, stream, begin, y) {
  const shown = Array.from({ length: CYCLES }, (_, at) => signalsOf(run, stream, begin + at));
  return ["valid", "ready"].flatMap((name, place) => {
    const floor = y + ROW + (place + 1) * SIGNAL - 3;
    let path = "";
    shown.forEach((signals, at) => {
      const level = floor - (signals[name] ? SIGNAL - 5 : 0);
      path += at ? `V${level}H${NAME + (at + 1) * CELL}` : `M${NAME},${level}H${NAME + CELL}`;
    });
    return [text(NAME - 8, floor, name, "name tick"), makeSvg("path", { d: path, class: "signal", "data-stream": stream, "data-signal": name })];
  });
}

// In words, for those who do not see the picture.
function tellSignals(run, rows, cycle) {
  if (cycle >= run.cycles) return "";
  const told = rows.map(([stream, name]) => {
    const { valid, ready, word } = signalsOf(run, stream, cycle);
    return `${name}: ${valid ? `word ${word < 0 ? "?" : word} ${ready ? "moves" : "waits"}` : ready ? "ready" : "neither valid nor ready"}`;
  });
  return `. In cycle ${cycle}: ${told.join("; ")}`;
}

function shownIn(run, place) {
  return String(run.data ? run.data[place] : run.word[place]);
}

// What waits is what the stream transfers next; a word that never moves has no name.
function waitingIn(run, stream, cycle, word) {
  const next = nextTransfer(run, stream, cycle);
  if (run.data) return next < 0 ? "?" : String(run.data[next]);
  return word < 0 ? "?" : String(word);
}

function shortened(name) {
  return name.length > 15 ? `${name.slice(0, 14)}…` : name;
}

function text(x, y, content, kind) {
  return makeSvg("text", { x, y, class: kind }, content);
}

function box(x, y, kind, colour, content) {
  const slant = 4;
  const [top, bottom] = [y + 3, y + ROW - 4];
  const points = [[x + slant, top], [x + CELL - slant, top], [x + CELL, (top + bottom) / 2], [x + CELL - slant, bottom], [x + slant, bottom], [x, (top + bottom) / 2]];
  return [
    makeSvg("polygon", { points: points.map((point) => point.join(",")).join(" "), class: kind, stroke: colour }),
    text(x + CELL / 2, y + ROW * 0.62, content, content.length > 3 ? "small" : "value"),
  ];
}

// How many words the node holds in each cycle of the run, by the buffers in which they lie.
export function occupancyOf(scene, run, node, frame) {
  const parts = partsOf(scene, run, node);
  const width = NAME + CYCLES * CELL + 2;
  const left = NAME;
  const x = (cycle) => left + ((width - left - 4) * cycle) / Math.max(1, run.cycles);
  const strips = parts.map(({ name, held }, place) => {
    const most = Math.max(1, ...held);
    const floor = (place + 1) * STRIP - 6;
    const y = (count) => floor - ((STRIP - 14) * count) / most;
    let path = `M${x(0)},${floor}`;
    held.forEach((count, cycle) => (path += `H${x(cycle).toFixed(1)}V${y(count).toFixed(1)}`));
    return [
      makeSvg("path", { d: `${path}H${x(run.cycles)}V${floor}Z`, class: "area" }),
      text(left - 8, floor - 2, `${name}, max ${most}`, "name"),
    ];
  });
  const height = parts.length * STRIP + 10;
  const label = `Words held by ${scene.network.labels[node]} over time: ${parts.map(({ name, held }) => `${name} ${Math.max(...held)} at most`).join(", ")}`;
  return makeSvg(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, class: "wave", role: "img", "aria-label": label },
    strips,
    makeSvg("line", { x1: x(frame), x2: x(frame), y1: 2, y2: height - 12, class: "hand" }),
    text(left + 3, height - 1, "0", "tick"),
    text(width - 12, height - 1, String(run.cycles), "tick"),
  );
}

// Words on their way up and down, or all of them; and how many there are.
function partsOf(scene, run, node) {
  const { program } = scene;
  const ways = node === program.root ? ["root"] : ["up", "down"];
  const names = program.fabric === "ordered" ? ways : ["words"];
  const parts = names.map((name) => ({ name, held: new Uint16Array(run.cycles + 1) }));
  for (const item of run.itemsOf[node]) {
    const part = program.fabric === "ordered" ? run.items.side[item] : 0;
    for (let cycle = run.items.from[item] + 1; cycle <= run.items.until[item]; cycle++) parts[part].held[cycle]++;
  }
  return parts;
}

// A word's shape, for lists.
export function sample(theme, look) {
  const points = corners(look);
  const shape = points
    ? makeSvg("polygon", { points: points.map(([x, y]) => `${x * 5 + 8},${y * 5 + 8}`).join(" ") })
    : makeSvg("circle", { cx: 8, cy: 8, r: 5.5 });
  shape.setAttribute("fill", theme.words[look]);
  return makeSvg("svg", { viewBox: "0 0 16 16", class: "sample", "aria-hidden": "true" }, shape);
}
