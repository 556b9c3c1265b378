// What the cycle model recorded: transfers by cycle and by stream, and what nodes hold meanwhile.

import { unpackEvents } from "./decode.js";

export const MOVES = new Set(["up", "down", "join", "link"]);
const ALARMS = new Set(["dropped", "mismatch", "late", "absent", "corrupt"]);

// A run, with everything in it that the page asks for again and again.
export function readRun(run, program, nodes) {
  const columns = unpackEvents(run);
  const streams = run.streams;
  const total = columns.cycle.length;
  const first = firstOf(run.count);
  const stream = new Int32Array(total);
  run.count.forEach((count, number) => stream.fill(number, first[number], first[number] + count));
  const result = {
    name: run.name,
    what: run.what,
    cycles: run.cycles,
    end: run.end,
    // Steps are counted from 1, cycles from 0.
    unit: run.unit ?? "cycle",
    begin: run.unit === "step" ? 1 : 0,
    words: run.words,
    streams,
    nodes,
    // Stream by stream.
    ...columns,
    stream,
    firstOfStream: first,
    // Cycle by cycle: places in the columns.
    ...byCycle(columns.cycle, run.cycles),
  };
  // Of some runs it is not recorded when words waited and streams were ready.
  result.hasSignals = run.waiting !== undefined;
  if (result.hasSignals) Object.assign(result, { waiting: readSpans(run.waiting), free: readSpans(run.free) });
  result.streamsOf = streamsOf(streams, nodes);
  result.rank = rankWords(result, program.root);
  return Object.assign(result, hold(result, program));
}

// Spans of cycles, stream by stream.
function readSpans(spans) {
  return { ...unpackEvents(spans), firstOfStream: firstOf(spans.count) };
}

// The place of each word in the order in which words pass the root, or, without one, enter.
function rankWords(run, root) {
  const words = run.words.source.length;
  const since = new Int32Array(words).fill(run.cycles);
  for (let at = 0; at < run.cycle.length; at++) {
    const kind = run.streams.kind[run.stream[at]];
    const passes = root === undefined ? kind === "inject" : kind === "down" && run.streams.sender[run.stream[at]] === root;
    if (passes && run.word[at] >= 0 && run.cycle[at] < since[run.word[at]]) since[run.word[at]] = run.cycle[at];
  }
  const rank = new Array(words);
  [...since.keys()].sort((one, other) => since[one] - since[other] || one - other).forEach((word, place) => (rank[word] = place));
  return rank;
}

function firstOf(counts) {
  const first = new Int32Array(counts.length + 1);
  counts.forEach((count, place) => (first[place + 1] = first[place] + count));
  return first;
}

function byCycle(cycle, cycles) {
  const firstOfCycle = new Int32Array(cycles + 2);
  for (const at of cycle) firstOfCycle[at + 1]++;
  for (let at = 0; at <= cycles; at++) firstOfCycle[at + 1] += firstOfCycle[at];
  const next = firstOfCycle.slice();
  const placeOfCycle = new Int32Array(cycle.length);
  for (let place = 0; place < cycle.length; place++) placeOfCycle[next[cycle[place]]++] = place;
  return { firstOfCycle, placeOfCycle };
}

// The places of the transfers of one cycle.
export function transfersIn(run, cycle) {
  if (cycle < 0 || cycle >= run.cycles) return new Int32Array(0);
  return run.placeOfCycle.subarray(run.firstOfCycle[cycle], run.firstOfCycle[cycle + 1]);
}

// For each node the streams that begin or end there, those into it first.
function streamsOf(streams, nodes) {
  const into = Array.from({ length: nodes }, () => []);
  const out = Array.from({ length: nodes }, () => []);
  streams.kind.forEach((kind, number) => {
    if (ALARMS.has(kind)) return;
    if (streams.receiver[number] >= 0) into[streams.receiver[number]].push(number);
    if (streams.sender[number] >= 0 && kind !== "sum") out[streams.sender[number]].push(number);
  });
  return into.map((numbers, node) => ({ into: numbers, out: out[node] }));
}

// Words on their way up and words on their way down lie in different buffers of a node.
const SIDES = 2;

function slotsOfStreams(streams, program) {
  const side = (node, down) =>
    node < 0 ? -1 : node * SIDES + (program.fabric === "ordered" && down && node !== program.root ? 1 : 0);
  const enters = [];
  const leaves = [];
  streams.kind.forEach((kind, number) => {
    const alarm = ALARMS.has(kind);
    enters.push(alarm || kind === "eject" ? -1 : side(streams.receiver[number], kind === "down"));
    const down = kind === "down" || kind === "eject";
    leaves.push(alarm || kind === "inject" ? -1 : side(streams.sender[number], down));
  });
  return { enters, leaves };
}

// Numbers by slot and word, -1 where there is none: an array, unless it were mostly empty.
const MOST_CELLS = 2e7;

function makeTable(slots, words) {
  if (slots * words <= MOST_CELLS) {
    const cells = new Int32Array(slots * words).fill(-1);
    return { get: (slot, word) => cells[slot * words + word], set: (slot, word, value) => (cells[slot * words + word] = value) };
  }
  const cells = new Map();
  return { get: (slot, word) => cells.get(slot * words + word) ?? -1, set: (slot, word, value) => cells.set(slot * words + word, value) };
}

// Which words nodes hold, and how long: a word is held from the cycle after it came up to the one in
// which its last copy leaves.
function hold(run, program) {
  const slots = slotsOfStreams(run.streams, program);
  const { came, gone, total } = meet(run, slots);
  const items = itemsOf(run, slots.enters, gone, total);
  const occupied = new Uint16Array(run.nodes * (run.cycles + 1));
  const waitOfNode = new Float64Array(run.nodes);
  for (let item = 0; item < total; item++) {
    const begin = items.node[item] * (run.cycles + 1);
    const last = Math.min(items.until[item], run.cycles);
    for (let cycle = items.from[item] + 1; cycle <= last; cycle++) occupied[begin + cycle]++;
    waitOfNode[items.node[item]] += Math.max(0, items.until[item] - items.from[item] - 1);
  }
  const wait = waits(run, slots.leaves, came);
  return { items, itemsOf: groupByNode(items.node, run.nodes), occupied, wait, waitOfNode };
}

// The first cycle in which each word came to a slot, and the last in which it left it.
function meet({ cycle, stream, word, words, streams, nodes }, { enters, leaves }) {
  const came = makeTable(nodes * SIDES, words.source.length);
  const gone = makeTable(nodes * SIDES, words.source.length);
  let total = 0;
  for (let at = 0; at < cycle.length; at++) {
    if (word[at] < 0) continue;
    const from = leaves[stream[at]];
    // When a sum is whole, the words for it, which have the number before, are gone.
    const left = streams.kind[stream[at]] === "sum" ? word[at] - 1 : word[at];
    if (from >= 0 && gone.get(from, left) < cycle[at]) gone.set(from, left, cycle[at]);
    const into = enters[stream[at]];
    if (into < 0) continue;
    total += 1;
    const before = came.get(into, word[at]);
    if (before < 0 || before > cycle[at]) came.set(into, word[at], cycle[at]);
  }
  return { came, gone, total };
}

function itemsOf({ cycle, stream, word, words, streams, cycles, row, unit }, enters, gone, total) {
  const items = {};
  // Nodes whose sinks were given up for a while: words without an end are lost there.
  const loses = new Set();
  stream.forEach((number) => {
    if (streams.kind[number] === "absent") loses.add(streams.sender[number]);
  });
  for (const name of ["node", "side", "word", "from", "until", "row"]) items[name] = new Int32Array(total);
  let item = 0;
  for (let at = 0; at < cycle.length; at++) {
    const slot = enters[stream[at]];
    if (slot < 0 || word[at] < 0) continue;
    const node = Math.floor(slot / SIDES);
    const left = gone.get(slot, word[at]);
    // A node's own word that comes back to it is dropped there; any other without an end stays, as
    // all words do in steps.
    const own = (words.source[word[at]] === node && streams.kind[stream[at]] === "down") || loses.has(node);
    items.node[item] = node;
    items.side[item] = slot % SIDES;
    items.word[item] = word[at];
    items.from[item] = cycle[at];
    items.until[item] = unit === "step" ? cycles : left >= 0 ? left : own ? cycle[at] + 1 : cycles;
    items.row[item] = row ? row[at] : -1;
    item += 1;
  }
  return items;
}

// For each stream the cycles for which words waited before they took it.
function waits({ cycle, stream, word, streams }, leaves, came) {
  const wait = new Float64Array(streams.kind.length);
  for (let at = 0; at < cycle.length; at++) {
    const slot = leaves[stream[at]];
    const since = slot < 0 || word[at] < 0 ? -1 : came.get(slot, word[at]);
    if (since >= 0) wait[stream[at]] += Math.max(0, cycle[at] - since - 1);
  }
  return wait;
}

function groupByNode(node, nodes) {
  const lists = Array.from({ length: nodes }, () => []);
  node.forEach((at, item) => lists[at].push(item));
  return lists;
}

// How many words a node holds in a cycle.
export function occupancy(run, node, cycle) {
  return cycle < 0 || cycle > run.cycles ? 0 : run.occupied[node * (run.cycles + 1) + cycle];
}

// The words that a node holds in a cycle, the oldest first.
export function heldWords(run, node, cycle) {
  const { from, until } = run.items;
  return run.itemsOf[node].filter((item) => from[item] < cycle && cycle <= until[item]);
}

// The first transfer of a stream in a cycle or later, by its place; -1 where there is none.
export function nextTransfer(run, stream, cycle) {
  let low = run.firstOfStream[stream];
  let high = run.firstOfStream[stream + 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (run.cycle[middle] < cycle) low = middle + 1;
    else high = middle;
  }
  return low < run.firstOfStream[stream + 1] ? low : -1;
}

// The transfer of a stream in a cycle, by its place; -1 where there is none.
export function transferOf(run, stream, cycle) {
  const next = nextTransfer(run, stream, cycle);
  return next >= 0 && run.cycle[next] === cycle ? next : -1;
}

// The span of a stream in which a cycle lies, by its place; -1 where there is none.
function spanOf(spans, stream, cycle) {
  let low = spans.firstOfStream[stream];
  let high = spans.firstOfStream[stream + 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (spans.cycle[middle] + spans.length[middle] <= cycle) low = middle + 1;
    else high = middle;
  }
  return low < spans.firstOfStream[stream + 1] && spans.cycle[low] <= cycle ? low : -1;
}

// What a stream shows in a cycle: valid, with the word that is offered, and ready.
export function signalsOf(run, stream, cycle) {
  const moved = transferOf(run, stream, cycle);
  if (moved >= 0) return { valid: true, ready: true, word: run.word[moved] };
  const waiting = spanOf(run.waiting, stream, cycle);
  if (waiting >= 0) return { valid: true, ready: false, word: run.waiting.word[waiting] };
  return { valid: false, ready: spanOf(run.free, stream, cycle) >= 0, word: -1 };
}

// For each node the first cycle in which it had a word, its own too; -1 where it has not.
export function arrivals(run, word) {
  const at = new Int32Array(run.nodes).fill(-1);
  for (let place = 0; place < run.cycle.length; place++) {
    if (run.word[place] !== word) continue;
    const number = run.stream[place];
    const kind = run.streams.kind[number];
    const node = kind === "eject" ? run.streams.sender[number] : run.streams.receiver[number];
    const there = kind === "eject" || kind === "inject" || run.unit === "step";
    if (there && (at[node] < 0 || run.cycle[place] < at[node])) {
      at[node] = run.cycle[place];
    }
  }
  return at;
}

// How many transfers each stream had, and how long words waited before them.
export function heatOf(run, what) {
  return run.streams.kind.map((kind, number) =>
    what === "wait" ? run.wait[number] : run.firstOfStream[number + 1] - run.firstOfStream[number],
  );
}
