// What the page's modules say, for tests: a job comes on standard input, answers go to standard
// output. Run beside copies of the modules.

import { readDocument } from "./decode.js";
import { along, between, control, fit, nodeAt, pointOf, zoomed } from "./geometry.js";
import { actions, frames, newState, select, setBeside, setView } from "./state.js";
import { keyAction } from "./controls.js";
import { looksOf } from "./theme.js";
import { arrivals, heatOf, heldWords, occupancy, readRun, signalsOf, transferOf, transfersIn } from "./transfers.js";
import { depthsOf, scheduleFrom, treeOf } from "./trees.js";
import { tellCycle, tellStep, viewName } from "./words.js";

let text = "";
for await (const part of process.stdin) text += part;
const { packed, ask, given } = JSON.parse(text);
const { scenes } = await readDocument(packed);
const [scene] = scenes;
const { program, network } = scene;
const runs = scene.runs.map((run) => readRun(run, program, network.nodes));
const everyNode = [...network.labels.keys()];
const cycles = (run) => Array.from({ length: run.cycles + 1 }, (_, cycle) => cycle);

const answers = {
  // Each transfer, cycle by cycle.
  transfers: () =>
    runs.map((run) =>
      cycles(run).flatMap((cycle) =>
        Array.from(transfersIn(run, cycle), (place) => {
          const stream = run.stream[place];
          if (transferOf(run, stream, cycle) !== place) throw new Error(`stream ${stream} in cycle ${cycle}`);
          return [cycle, stream, run.word[place]];
        }),
      ),
    ),
  outside: () => runs.map((run) => [transfersIn(run, -1).length, transfersIn(run, run.cycles).length]),
  signals: () =>
    runs.map((run) =>
      run.streams.kind.map((_, stream) =>
        cycles(run).map((cycle) => {
          const { valid, ready, word } = signalsOf(run, stream, cycle);
          return [valid, ready, word];
        }),
      ),
    ),
  held: () =>
    runs.map((run) =>
      cycles(run).map((cycle) =>
        everyNode.map((node) => {
          const words = heldWords(run, node, cycle).map((item) => run.items.word[item]);
          if (words.length !== occupancy(run, node, cycle)) throw new Error("held words are not counted");
          return words.sort((one, other) => one - other);
        }),
      ),
    ),
  heat: () => runs.map((run) => [heatOf(run, "load"), heatOf(run, "wait"), Array.from(run.waitOfNode)]),
  arrivals: () => runs.map((run) => run.words.source.map((_, word) => Array.from(arrivals(run, word)))),
  rank: () => runs.map((run) => run.rank),
  looks: () => runs.map((run) => looksOf(scene, run)),
  trees: () => everyNode.map((source) => treeOf(program, network, source)),
  schedules: () => scene.schedules.map((schedule) => everyNode.map((root) => scheduleFrom(schedule, network, root))),
  depths: () => scene.schedules.map((schedule) => depthsOf(schedule.from["0"].parent)),
  picking: () => {
    const view = zoomed(fit(network, 900, 700), 1.3, 100, 50);
    return everyNode.map((node) => {
      const { x, y } = pointOf(view, network, node);
      return [nodeAt(view, network, x + 2, y - 2, 10), nodeAt(view, network, x + 2, y - 2, 1)];
    });
  },
  inside: () => {
    const view = fit(network, 900, 700);
    return everyNode.map((node) => pointOf(view, network, node)).map(({ x, y }) => x > 20 && x < 880 && y > 20 && y < 680);
  },
  curves: () => {
    const view = fit(network, 900, 700);
    return network.neighbour.flatMap((ends, node) =>
      ends.flatMap((there, port) => {
        if (there < 0) return [];
        const curve = control(view, network, node, port);
        const [begin, end] = between(curve, 10);
        return [[node, port, view, [0, 0.25, 0.5, 1].map((share) => along(curve, share)), begin, end]];
      }),
    );
  },
  // A session: each entry names an action and its arguments.
  session: () => {
    let state = newState(scenes);
    const shown = [state];
    for (const [name, ...rest] of given) {
      if (name === "key") state = (keyAction(rest[0], state, network.nodes) ?? (() => "left alone"))();
      else if (name === "view") state = setView(state, scenes, ...rest);
      else if (name === "select") state = select(state, ...rest);
      else if (name === "beside") state = setBeside(state, scenes, ...rest);
      else state = actions[name](state, ...rest);
      shown.push(state);
      if (state === "left alone") state = shown.at(-2);
    }
    return shown;
  },
  frames: () => newState(scenes).views.map((view) => frames(scenes, view)),
  // The view on which a page opens, for each algorithm.
  opens: () => given.map((algorithm) => { const state = newState(scenes, algorithm); return state.views[state.panes[0].view]; }),
  names: () => newState(scenes).views.map((view) => viewName(scenes, view)),
  told: () => runs.map((run) => cycles(run).map((cycle) => tellCycle(scene, run, { node: given ?? -1 }, cycle))),
  steps: () => scene.schedules.map((schedule) => {
    const tree = scheduleFrom(schedule, network, 0);
    return Array.from({ length: tree.steps + 1 }, (_, frame) => tellStep(scene, tree, { node: given ?? -1 }, frame));
  }),
};

process.stdout.write(JSON.stringify(Object.fromEntries(ask.map((name) => [name, answers[name]()]))));
