// Colours of the page's style, and shapes, so that nothing is told by colour alone.

const NAMES = ["back", "text", "muted", "line", "node", "edge", "accent", "up", "down", "warm", "full"];
const CLASSES = 6;

export function readTheme(element) {
  const style = getComputedStyle(element);
  const theme = {};
  for (const name of NAMES) theme[name] = style.getPropertyValue(`--${name}`).trim();
  theme.words = Array.from({ length: CLASSES }, (_, place) => style.getPropertyValue(`--word-${place}`).trim());
  theme.font = style.getPropertyValue("--font").trim() || "sans-serif";
  return theme;
}

// By what words look alike: their operation; their sum; their source, if there are some; or else nothing, and
// words that follow each other look different. Looks repeat after so many.
export function looksOf(scene, run) {
  if (run.words.operation) {
    const names = scene.program.operations.map(({ name }) => name);
    return { by: "operation", names, look: run.words.operation.map((operation) => operation % CLASSES) };
  }
  // A sum looks like the words for it.
  if (run.words.sum) return { by: "sum", names: [], look: run.words.sum.map((_, word) => Math.floor(word / 2) % CLASSES) };
  const sources = [...new Set(run.words.source)].sort((one, other) => one - other);
  if (sources.length > CLASSES || sources.length === 1) return { by: "order", names: [], look: run.rank.map((rank) => rank % CLASSES) };
  const names = sources.map((node) => scene.network.labels[node]);
  return { by: "source", names, look: run.words.source.map((node) => sources.indexOf(node)) };
}

export function classOf(scene, run, word) {
  run.looks ??= looksOf(scene, run);
  return word < 0 ? 0 : run.looks.look[word];
}

const CORNERS = [
  null,
  [[-1, -1], [1, -1], [1, 1], [-1, 1]],
  [[0, -1.35], [1.35, 0], [0, 1.35], [-1.35, 0]],
  [[0, -1.3], [1.25, 0.95], [-1.25, 0.95]],
  [[0, 1.3], [1.25, -0.95], [-1.25, -0.95]],
  [[-0.45, -1.3], [0.45, -1.3], [0.45, -0.45], [1.3, -0.45], [1.3, 0.45], [0.45, 0.45], [0.45, 1.3], [-0.45, 1.3], [-0.45, 0.45], [-1.3, 0.45], [-1.3, -0.45], [-0.45, -0.45]],
];

// The corners of a shape, null for a circle.
export function corners(place) {
  return CORNERS[place % CLASSES];
}

export function tracePath(context, place, x, y, size) {
  context.beginPath();
  const points = corners(place);
  if (!points) context.arc(x, y, size * 1.08, 0, 2 * Math.PI);
  else {
    points.forEach(([right, down], at) =>
      at ? context.lineTo(x + size * right, y + size * down) : context.moveTo(x + size * right, y + size * down),
    );
    context.closePath();
  }
}
