// The panel beside the picture: the network, or the chosen node with its table, ports and words.

import { facts, make, table } from "./elements.js";
import { heldWords, heatOf, MOVES, transfersIn } from "./transfers.js";
import { depthsOf } from "./trees.js";
import { count, nameOfWord } from "./words.js";
import { occupancyOf, sample, waveOf } from "./wave.js";
import { classOf, looksOf } from "./theme.js";

const MOST_ROWS = 400;
const MOST_LISTED = 24;

export function inspect(scope) {
  const { scene, pane, schedule } = scope;
  if (pane.node < 0) return schedule ? ofSchedule(scope) : ofNetwork(scope);
  const parts = [make("h2", {}, scene.network.labels[pane.node]), roles(scope)];
  return schedule ? [...parts, ...stepsOf(scope)] : [...parts, ...cyclesOf(scope)];
}

function section(title, ...parts) {
  return make("section", {}, make("h3", {}, title), ...parts);
}

function roles({ scene, pane, tree, schedule }) {
  const { program } = scene;
  const names = [];
  if (!schedule && program.root === pane.node) names.push("root of both trees");
  if (!schedule && program.sources.includes(pane.node)) names.push("may send");
  if (schedule && schedule.root === pane.node) names.push("sends first");
  if (pane.source === pane.node && tree) names.push("the picked source");
  return make("p", { class: "chips" }, names.map((name) => make("span", {}, name)));
}

function ofNetwork(scope) {
  const { scene, run, theme, frame } = scope;
  const { network, design } = scene;
  return [
    make("h2", {}, network.spec),
    facts([
      ["nodes", network.nodes],
      ["links", network.links],
      ["diameter", `${network.diameter} hops`],
      ["symmetric", network.symmetric ? "yes" : "no"],
      ["drawn as", network.layout],
      ...(run.unit === "step" ? [] : [["fabric", scene.program.fabric], ...Object.entries(design)]),
    ]),
    section(run.unit === "step" ? "In steps" : "This run", make("p", {}, run.name), make("p", {}, run.what), facts([[`${run.unit}s`, run.cycles], ["transfers", run.cycle.length], ["words", run.words.sum ? givenIn(run) : run.words.source.length]])),
    legend(scene, run, theme),
    section("Busiest links", busiest(scene, run)),
    section(frame < run.cycles ? `Transfers in ${run.unit} ${frame + run.begin}` : "At the end", listTransfers(scope, transfersIn(run, frame))),
  ];
}

// The words that were given, where a run has sums in their place.
function givenIn(run) {
  return run.stream.reduce((words, number) => words + (run.streams.kind[number] === "inject"), 0);
}

function legend(scene, run, theme) {
  run.looks ??= looksOf(scene, run);
  const { by, names } = run.looks;
  if (by === "order") {
    const samples = [0, 1, 2, 3, 4, 5].map((place) => sample(theme, place));
    return section("Words", make("p", {}, samples, "Words that follow each other look different, in turn."));
  }
  return section(`Words by ${by}`, make("ul", { class: "legend" }, names.map((name, place) => make("li", {}, sample(theme, place % 6), name))));
}

function busiest(scene, run) {
  run.busiest ??= listBusiest(scene, run);
  const { alike, most, rows } = run.busiest;
  if (alike > 1 && alike >= rows.length) return make("p", {}, `${alike} streams on links carry ${count(most, "word")} each, and none carries more.`);
  return table(["link", "stream", "words", "mean wait"], rows);
}

function listBusiest(scene, run) {
  const loads = heatOf(run, "load");
  const numbers = [...loads.keys()].filter((number) => MOVES.has(run.streams.kind[number]) && loads[number]);
  numbers.sort((one, other) => loads[other] - loads[one] || one - other);
  const { sender, receiver, kind } = run.streams;
  const { labels } = scene.network;
  const most = numbers.length ? loads[numbers[0]] : 0;
  const alike = numbers.filter((number) => loads[number] === most).length;
  const rows = numbers.slice(0, 6).map((number) => [
    `${labels[sender[number]]} → ${labels[receiver[number]]}`,
    kind[number],
    loads[number],
    (run.wait[number] / loads[number]).toFixed(1),
  ]);
  return { alike, most, rows };
}

// A word in a list: its shape and its name, by which it can be followed.
function wordItem({ scene, run, theme, pane, follow }, word, text) {
  const name = nameOfWord(scene, run, word);
  const act = () => follow(pane.word === word ? -1 : word);
  const button = make("button", { type: "button", class: "link", "aria-pressed": String(pane.word === word), title: "Follow this word", onclick: act }, name);
  return make("li", {}, sample(theme, classOf(scene, run, word)), word < 0 ? name : button, text);
}

function listTransfers(scope, places) {
  const { scene, run } = scope;
  if (!places.length) return make("p", { class: "muted" }, "None.");
  const items = Array.from(places.slice(0, MOST_LISTED), (place) => {
    const number = run.stream[place];
    const { sender, receiver, kind } = run.streams;
    const { labels } = scene.network;
    const where = { inject: `enters at ${labels[receiver[number]]}`, eject: `leaves at ${labels[sender[number]]}`, sum: `whole at ${labels[sender[number]]}`, dropped: `dropped at ${labels[sender[number]]}`, mismatch: `mismatch at ${labels[sender[number]]}`, late: `a word is missing at ${labels[sender[number]]}`, absent: `the sink of ${labels[sender[number]]} is passed over` }[kind[number]];
    const text = where ?? `${labels[sender[number]]} → ${labels[receiver[number]]} (${kind[number]})`;
    const data = run.data ? `, data ${run.data[place]}` : "";
    return wordItem(scope, run.word[place], `: ${text}${data}`);
  });
  const more = places.length - items.length;
  if (more > 0) items.push(make("li", { class: "muted" }, `and ${more} more`));
  return make("ul", { class: "legend" }, items);
}

function cyclesOf(scope) {
  const { scene, run, pane, theme, frame, tree } = scope;
  const node = pane.node;
  const items = heldWords(run, node, frame);
  return [
    treeButton(scope),
    treeFacts(scene, tree, node),
    section("Holds now", heldList(scope, items)),
    section(`Ports, ${run.unit} by ${run.unit}`, waveOf(scene, run, theme, node, frame), make("p", { class: "muted small" }, boxesOf(run))),
    section("Words held over time", occupancyOf(scene, run, node, frame), facts([["waited, in all", run.unit === "step" ? "" : `${run.waitOfNode[node]} cycles`]])),
    scene.program.fabric === "direct" ? tableOf(scope, items) : null,
    scene.program.fabric === "ordered" ? planOf(scene, run, node) : null,
    scene.program.fabric === "timetable" ? roundOf(scope) : null,
  ];
}

function boxesOf(run) {
  const box = `A box is a transfer, with the ${run.data ? "data" : "number"} of its word`;
  return run.hasSignals ? `${box}; a broken one is a word that waits: valid without ready.` : `${box}.`;
}

function treeButton({ scene, pane, showTree }) {
  const { fabric, sources } = scene.program;
  if (fabric === "steps" || !sources.includes(pane.node) || pane.source === pane.node) return null;
  return make("button", { type: "button", onclick: showTree }, `Show the tree from ${scene.network.labels[pane.node]}`);
}

function treeFacts(scene, tree, node) {
  if (!tree) return null;
  const { labels } = scene.network;
  const above = tree.parent[node];
  return facts([
    [`depth from ${labels[tree.source]}`, count(tree.depth[node], "hop")],
    ["a word alone is there", tree.cycles && node !== tree.source ? `${tree.cycles[node]} cycles after it is accepted` : ""],
    ["receives from", above < 0 ? "" : labels[above]],
    ["sends on to", tree.parent.flatMap((parent, child) => (parent === node ? [labels[child]] : [])).join(", ")],
  ]);
}

function heldList(scope, items) {
  const { scene, run, pane } = scope;
  if (!items.length) return make("p", { class: "muted" }, "No word.");
  const { program } = scene;
  const side = (item) => {
    if (program.fabric === "steps") return "";
    if (program.fabric !== "ordered") return "";
    return pane.node === program.root ? ", at the root" : run.items.side[item] ? ", on its way down" : ", on its way up";
  };
  return make(
    "ul",
    { class: "legend" },
    items.slice(0, MOST_LISTED).map((item) =>
      wordItem(scope, run.items.word[item], `${side(item)}, since ${run.unit} ${run.items.from[item] + run.begin}`),
    ),
  );
}

// The rows of the program, with those of the words that the router holds marked.
function tableOf({ scene, run, pane, frame }, items) {
  const { program, network } = scene;
  const number = program.table[pane.node];
  const { rows, own } = program.tables[number];
  const first = program.tables.slice(0, number).reduce((total, each) => total + each.rows.length, 0);
  const active = new Set(items.map((item) => run.items.row[item]));
  for (const place of transfersIn(run, frame)) {
    const stream = run.stream[place];
    if (run.streams.receiver[stream] === pane.node) active.add(run.row[place]);
  }
  const shown = rows.slice(0, MOST_ROWS).map((row, place) => [
    row.code,
    row.deliver ? "yes" : "no",
    row.sends.map(([port, code]) => `${network.outPorts[port]}▸${code}`).join("  ") || "–",
    place >= rows.length - own ? "own" : "",
  ]);
  const headings = ["code", "deliver", "sends: port▸code there", ""];
  const nodes = program.table.filter((each) => each === number).length;
  return section(
    "Table of the router",
    make("p", { class: "muted small" }, `${rows.length} rows, the same at ${count(nodes, "node")}; marked: rows of words that are here in this cycle.`),
    table(headings, shown, (place) => active.has(first + place)),
  );
}

// What each out-port sends in each cycle of a round, with this cycle marked.
function roundOf({ scene, pane, frame }) {
  const { program, network } = scene;
  const { sends } = program.tables[program.table[pane.node]];
  const words = (choice) => {
    if (!choice) return "–";
    if (Array.isArray(choice[0])) return choice.map(words).join(" + ");
    if (choice[0] < 0) return "own";
    return `in ${network.inPorts[choice[0]] ?? "sum"}${choice[1] > 1 ? `, ${choice[1]} ago` : ""}`;
  };
  const shown = [...Array(program.round).keys()].slice(0, MOST_ROWS).map((phase) => [phase, ...sends.map(([, choices]) => words(choices[phase]))]);
  const headings = ["phase", ...sends.map(([port]) => `out ${network.outPorts[port] ?? "sum"}`)];
  return section(
    "Timetable of the router",
    make("p", { class: "muted small" }, "What leaves by each out-port: the node's own word, what came by an in-port in the cycle before, or their sum; marked: this cycle."),
    table(headings, shown, (phase) => frame >= 0 && phase === frame % program.round),
  );
}

// Merges on the way up, the fork on the way down, and joins.
function planOf(scene, run, node) {
  const { program, network } = scene;
  const plan = program.plans[program.plan[node]];
  const { labels } = network;
  const inputs = [...(plan.sends ? ["inject"] : []), ...program.upChildren[node].map((child) => labels[child])];
  const parts = [];
  const joins = plan.joins.map((join) => {
    const group = program.groups[join.group].name;
    const operands = [...(join.own ? ["inject"] : []), ...program.joinChildren[join.group][node].map((child) => labels[child])];
    const rows = join.joins.map((each, place) => [`join ${place}`, each.streams.map((stream) => operands[stream] ?? `join ${stream - operands.length}`).join(" ⊕ "), each.slots]);
    if (node === program.root) inputs.push(`joined ${group}`);
    return section(`Joins of ${group}`, rows.length ? table(["", "of", "slots"], rows) : make("p", {}, `One operand: ${operands.join(", ")}.`));
  });
  const rows = plan.merges.map((merge, place) => [
    `merge ${place}`,
    merge.streams.map((stream) => inputs[stream] ?? `merge ${stream - inputs.length}`).join(" + "),
    merge.weights.join(" : "),
    merge.slots,
  ]);
  if (rows.length) parts.push(table(["", "of", "weights", "slots"], rows));
  else if (inputs.length) parts.push(make("p", {}, `No merge: one stream, ${inputs[0]}.`));
  const down = [...program.downChildren[node].map((child) => labels[child]), plan.drops ? "eject (but its own words)" : "eject"];
  parts.push(
    facts([
      ["up to", node === program.root ? "" : labels[program.upParent[node]]],
      ["down from", node === program.root ? "" : labels[program.downParent[node]]],
      ["forks to", down.join(", ")],
      ["slots on the way down", plan.downSlots || ""],
      ["waits at most for", program.mostWaited[node] === null ? "" : `${program.mostWaited[node]} words to pass the root`],
    ]),
  );
  return make("div", {}, section("Merges and fork", ...parts), joins);
}

function ofSchedule({ scene, schedule, frame, schedules }) {
  const { network } = scene;
  const sends = [...schedule.step.keys()].filter((node) => schedule.step[node] === frame + 1);
  const rows = sends.slice(0, MOST_ROWS).map((node) => [network.labels[schedule.parent[node]], network.outPorts[schedule.port[node]], network.labels[node]]);
  return [
    make("h2", {}, `${schedules.algorithm}, ${schedules.ports}-port`),
    facts([
      ["network", network.spec],
      ["root", network.labels[schedule.root]],
      ["steps", schedule.steps],
      ["height", schedule.height],
      ["in a step a node sends", schedules.ports === "one" ? "on one port" : "on all of its ports"],
    ]),
    section(frame < schedule.steps ? `Step ${frame + 1}: ${count(sends.length, "node")} receive${sends.length === 1 ? "s" : ""}` : "Done", sends.length ? table(["from", "port", "to"], rows) : make("p", {}, "Every node has the word.")),
    section("Steps", growth(schedule)),
  ];
}

// How many nodes have the word after each step.
function growth(schedule) {
  const rows = Array.from({ length: schedule.steps + 1 }, (_, step) => [
    step,
    schedule.step.filter((each) => each === step).length,
    schedule.step.filter((each) => each <= step).length,
  ]);
  return table(["step", "receive", "have it"], rows);
}

function stepsOf({ scene, schedule, pane }) {
  const { labels, outPorts } = scene.network;
  const node = pane.node;
  const children = [...schedule.parent.keys()].filter((child) => schedule.parent[child] === node);
  children.sort((one, other) => schedule.step[one] - schedule.step[other]);
  const above = schedule.parent[node];
  return [
    facts([
      ["receives in step", schedule.step[node] || ""],
      ["from", above < 0 ? "" : labels[above]],
      ["depth", count(depthsOf(schedule.parent)[node], "hop")],
    ]),
    section("Sends", children.length ? table(["step", "port", "to"], children.map((child) => [schedule.step[child], outPorts[schedule.port[child]], labels[child]])) : make("p", { class: "muted" }, "Nothing.")),
  ];
}

