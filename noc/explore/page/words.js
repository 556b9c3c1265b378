// What happens, in words: for the line under the pictures, and for readers who do not see them.

import { heldWords, occupancy, transfersIn } from "./transfers.js";

const MOST_NAMED = 3;

export function count(number, one, many = `${one}s`) {
  return `${number} ${number === 1 ? one : many}`;
}

export function nameOfWord(scene, run, word) {
  if (word < 0) return "a word";
  if (run.words.sum) return `${run.words.whole[word] ? "sum" : "words for sum"} ${run.words.sum[word]} of round ${run.words.round[word]}`;
  const source = run.words.source[word];
  const from = source < 0 ? "" : ` from ${scene.network.labels[source]}`;
  const operations = scene.program.operations;
  const operation = operations ? ` (${operations[run.words.operation[word]].name})` : "";
  return `word ${word}${from}${operation}`;
}

export function viewName(scenes, view) {
  const scene = scenes[view.scene];
  const network = scenes.length > 1 ? `${scene.network.spec}, ${scene.program.fabric}: ` : "";
  if (view.kind !== "runs") return `${network}steps: ${inSteps(scene, view)}`;
  const { name, what } = scene.runs[view.place];
  return `${network}clock cycles: ${what} (${name})`;
}

function inSteps(scene, { kind, place }) {
  if (kind === "plays") return scene.plays[place].name;
  const { algorithm, ports, tree, trees } = scene.schedules[place];
  return `${algorithm}, ${ports}-port${trees > 1 ? `, tree ${tree + 1} of ${trees}` : ""}`;
}

// What is shown, as a headline.
export function viewTitle(scene, view) {
  return view.kind === "runs" ? `${scene.name}, in clock cycles` : `${scene.network.spec}, ${inSteps(scene, view)}, in steps`;
}

function listed(names) {
  if (names.length <= MOST_NAMED) return names.join(", ");
  return `${names.slice(0, MOST_NAMED).join(", ")} and ${names.length - MOST_NAMED} more`;
}

// What happens in a cycle of a run.
export function tellCycle(scene, run, pane, cycle) {
  if (cycle >= run.cycles) return `After ${count(run.cycles, run.unit)}: ${tellEnd(run)}.`;
  const moving = { inject: [], eject: 0, up: 0, down: 0, join: 0, link: 0, sum: 0, dropped: 0, mismatch: 0, late: 0, absent: 0 };
  for (const place of transfersIn(run, cycle)) {
    const stream = run.stream[place];
    const kind = run.streams.kind[stream];
    if (kind === "inject") moving.inject.push(scene.network.labels[run.streams.receiver[stream]]);
    else moving[kind]++;
  }
  const parts = [];
  if (moving.inject.length) parts.push(`${count(moving.inject.length, "word")} enter${moving.inject.length === 1 ? "s" : ""} at ${listed(moving.inject)}`);
  if (moving.link) parts.push(`${count(moving.link, "link")} carry words`.replace("link carry", "link carries"));
  if (moving.sum) parts.push(`${count(moving.sum, "sum is", "sums are")} whole`);
  if (moving.up) parts.push(`${moving.up} up`);
  if (moving.join) parts.push(`${moving.join} up to be joined`);
  if (moving.down) parts.push(`${moving.down} down`);
  if (moving.eject) parts.push(`${count(moving.eject, "node")} take${moving.eject === 1 ? "s" : ""} a word`);
  if (moving.dropped) parts.push(`${count(moving.dropped, "wrong word")} dropped`);
  if (moving.mismatch) parts.push(`${count(moving.mismatch, "mismatch", "mismatches")}`);
  if (moving.late) parts.push(`${count(moving.late, "word is missing", "words are missing")}`);
  if (moving.absent) parts.push(`${count(moving.absent, "sink is", "sinks are")} passed over`);
  const unit = run.unit === "step" ? "Step" : "Cycle";
  const text = `${unit} ${cycle + run.begin} of ${run.cycles}: ${parts.length ? parts.join("; ") : "nothing moves"}.`;
  return pane.node < 0 ? text : `${text} ${tellNode(scene, run, pane.node, cycle)}`;
}

function tellEnd({ end, stream, streams }) {
  const lost = stream.some((number) => streams.kind[number] === "absent");
  if (end === "drained" && lost) return "every word has arrived, but those that were lost while sinks were passed over";
  if (end === "drained") return "every word has arrived everywhere";
  if (end === "limit") return "the recording ends here";
  return end === "deadlock" ? "no word can move any more: deadlock" : "no word moves any more: sinks are not ready";
}

function tellNode(scene, run, node, cycle) {
  const label = scene.network.labels[node];
  if (!occupancy(run, node, cycle)) return `${label} holds no word.`;
  const words = heldWords(run, node, cycle).map((item) => run.items.word[item]);
  const named = (word) => (run.words.sum ? nameOfWord(scene, run, word) : `word ${word}`);
  return `${label} holds ${listed([...new Set(words)].map(named))}.`;
}

// What happens in a step of a broadcast; frames are steps from 1 on.
export function tellStep(scene, tree, pane, frame) {
  const { labels } = scene.network;
  const have = tree.step.filter((step) => step <= frame).length;
  const total = `${have} of ${labels.length} nodes have the word`;
  if (frame >= tree.steps) return `After ${count(tree.steps, "step")}: all ${labels.length} nodes have the word of ${labels[tree.root]}.`;
  const receives = [...tree.step.keys()].filter((node) => tree.step[node] === frame + 1);
  const senders = new Set(receives.map((node) => tree.parent[node]));
  const text = `Step ${frame + 1} of ${tree.steps}: ${total}; ${count(senders.size, "node")} send${senders.size === 1 ? "s" : ""} it to ${count(receives.length, "other")}.`;
  if (pane.node < 0) return text;
  const step = tree.step[pane.node];
  const when = step === 0 ? "sends first" : `receives in step ${step}, from ${labels[tree.parent[pane.node]]}`;
  return `${text} ${labels[pane.node]} ${when}.`;
}

