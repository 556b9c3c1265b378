// What the page shows at a moment, and what a reader's actions change in it: no drawing here.

export const NONE = -1;

// Where a word is drawn on its link while nothing moves.
export const RESTING = 0.6;

export const SPEEDS = [0.5, 1, 2, 4, 8, 16, 32];

// The views of all scenes: runs of the cycle model first, then broadcasts in steps, and plays of
// many words in steps.
export function listViews(scenes) {
  const views = [];
  for (const kind of ["runs", "schedules", "plays"]) {
    scenes.forEach((scene, number) =>
      scene[kind].forEach((_, place) => views.push({ scene: number, kind, place })),
    );
  }
  return views;
}

export function frames(scenes, view) {
  const scene = scenes[view.scene];
  return view.kind !== "schedules"
    ? scene[view.kind][view.place].cycles
    : Math.max(...Object.values(scene.schedules[view.place].from).map((tree) => tree.steps));
}

export function newPane(view) {
  return { view, node: NONE, source: NONE, word: NONE };
}

// The view of a broadcast in steps by an algorithm, of one-port nodes if there is one, or else by
// any; or the first view.
function openingView(scenes, views, algorithm) {
  const tests = [
    (schedule) => schedule.algorithm === algorithm && schedule.ports === "one",
    (schedule) => schedule.algorithm === algorithm,
    () => true,
  ];
  const schedules = views.flatMap((view, place) => (view.kind === "schedules" && view.scene === 0 ? [[place, scenes[0].schedules[view.place]]] : []));
  const found = algorithm ? tests.map((test) => schedules.find(([, schedule]) => test(schedule))).find(Boolean) : null;
  return found ? found[0] : 0;
}

// Opened on a broadcast in steps there are few of them, and time goes slowly.
export function newState(scenes, opens) {
  const views = listViews(scenes);
  const first = openingView(scenes, views, opens);
  const panes = [newPane(first)];
  const second = views.findIndex((view) => view.scene === 1);
  if (second > 0) panes.push(newPane(second));
  return {
    views,
    panes,
    active: 0,
    frame: 0,
    phase: RESTING,
    playing: false,
    speed: views[first].kind === "schedules" ? 1 : 2,
    heat: "none",
    last: lastFrame(scenes, views, panes),
  };
}

// The frame after the last transfer: everything has arrived.
function lastFrame(scenes, views, panes) {
  return Math.max(...panes.map((pane) => frames(scenes, views[pane.view])));
}

function clamped(value, most) {
  return Math.max(0, Math.min(most, value));
}

// Every action takes the state and gives a new one.
export const actions = {
  goTo: (state, frame) => ({ ...state, playing: false, frame: clamped(Math.round(frame), state.last), phase: RESTING }),
  step: (state, by) => actions.goTo(state, state.frame + by),
  play: (state) => {
    const again = state.frame >= state.last;
    return { ...state, playing: true, frame: again ? 0 : state.frame, phase: again ? 0 : state.phase };
  },
  pause: (state) => ({ ...state, playing: false, phase: RESTING }),
  toggle: (state) => (state.playing ? actions.pause(state) : actions.play(state)),
  faster: (state, by) => {
    const at = clamped(SPEEDS.indexOf(state.speed) + by, SPEEDS.length - 1);
    return { ...state, speed: SPEEDS[at] };
  },
  setSpeed: (state, speed) => ({ ...state, speed }),
  setHeat: (state, heat) => ({ ...state, heat }),
  activate: (state, active) => ({ ...state, active: clamped(active, state.panes.length - 1) }),
  // Time goes on.
  advance: (state, seconds) => {
    if (!state.playing) return state;
    const there = state.frame + state.phase + seconds * state.speed;
    if (there >= state.last) return actions.goTo(state, state.last);
    const frame = Math.floor(there);
    return { ...state, frame, phase: there - frame };
  },
};

// Of the active pane.
function changed(state, change, number = state.active) {
  const panes = state.panes.map((pane, place) => (place === number ? { ...pane, ...change } : pane));
  return { ...state, panes };
}

export function select(state, what, value, number = state.active) {
  return changed(state, { [what]: value }, number);
}

export function setView(state, scenes, view, number = state.active) {
  const same = state.views[view].scene === state.views[state.panes[number].view].scene;
  const next = changed(state, same ? { view, word: NONE } : newPane(view), number);
  const last = lastFrame(scenes, next.views, next.panes);
  return { ...next, last, frame: clamped(next.frame, last) };
}

// A second picture beside the first, of a view that is worth a comparison; or one again.
export function setBeside(state, scenes, beside) {
  const panes = state.panes.slice(0, 1);
  if (beside) {
    const shown = state.views[panes[0].view];
    const other = state.views.findIndex(
      (view) => view.scene !== shown.scene || view.kind !== shown.kind || view.place !== shown.place,
    );
    panes.push({ ...newPane(Math.max(other, 0)) });
  }
  const last = lastFrame(scenes, state.views, panes);
  return { ...state, panes, last, active: 0, frame: clamped(state.frame, last) };
}
