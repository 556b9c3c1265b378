// The trees along which words go, from what nodes are built to do, and those of the papers.

const NONE = -1;

// The tree of a source: for each node its parent, the parent's out-port, its depth, and, where the
// cycle model can say it, the cycles until it has a word that is alone.
export function treeOf(program, network, source, tree = 0) {
  if (!program.sources.includes(source)) return null;
  if (program.fabric === "ordered") return orderedTree(program, network, source);
  if (program.fabric === "timetable") return roundTree(program, network, source);
  return directTree(program, network, source, tree);
}

// By the clock: a node sends on what came by an in-port so many cycles before, or its own word.
function roundTree(program, network, source) {
  const parent = new Array(network.nodes).fill(NONE);
  const port = new Array(network.nodes).fill(NONE);
  const depth = new Array(network.nodes).fill(NONE);
  const cycles = new Array(network.nodes).fill(NONE);
  depth[source] = 0;
  for (let frontier = [[source, NONE, 0]]; frontier.length; ) {
    const next = [];
    for (const [node, came, since] of frontier) {
      for (const [out, choices] of program.tables[program.table[node]].sends) {
        choices.forEach((choice, phase) => {
          if (!choice || choice[0] !== came || phase - choice[1] !== since) return;
          const there = network.neighbour[node][out];
          parent[there] = node;
          port[there] = out;
          depth[there] = depth[node] + 1;
          cycles[there] = phase + 1 + program.before;
          next.push([there, network.arrival[node][out], phase]);
        });
      }
    }
    frontier = next;
  }
  return { source, up: [], parent, port, depth, cycles };
}

// Up to the root and down from it.
function orderedTree(program, network, source) {
  const up = [];
  for (let node = source; node !== program.root; node = program.upParent[node]) {
    up.push({ node, port: program.upPort[node] });
  }
  const depth = new Int32Array(network.nodes).fill(NONE);
  const below = (node) => {
    if (node === program.root) return 0;
    if (depth[node] === NONE) depth[node] = 1 + below(program.downParent[node]);
    return depth[node];
  };
  for (let node = 0; node < network.nodes; node++) depth[node] = below(node);
  const cycles = program.downCycles.map((down) => down + program.upCycles[source]);
  return {
    source,
    up,
    parent: program.downParent,
    port: program.downPort,
    depth: Array.from(depth, (down) => down + up.length),
    cycles,
  };
}

// Hop by hop, as the rows of the tables say.
function directTree(program, network, source, tree) {
  const parent = new Array(network.nodes).fill(NONE);
  const port = new Array(network.nodes).fill(NONE);
  const depth = new Array(network.nodes).fill(NONE);
  const row = new Array(network.nodes).fill(null);
  depth[source] = 0;
  const own = program.tables[program.table[source]];
  row[source] = own.rows[own.rows.length - own.own + tree];
  for (let frontier = [source]; frontier.length; ) {
    const next = [];
    for (const node of frontier) {
      for (const [out, code] of row[node].sends) {
        const there = network.neighbour[node][out];
        const table = program.tables[program.table[there]];
        parent[there] = node;
        port[there] = out;
        depth[there] = depth[node] + 1;
        row[there] = table.rows
          .slice(0, table.rows.length - table.own)
          .find((entry) => entry.code === code);
        next.push(there);
      }
    }
    frontier = next;
  }
  return { source, up: [], parent, port, depth, cycles: null };
}

// A broadcast in the papers' step model, from any root if the network is symmetric: the same ports
// lead from there to the same tree.
export function scheduleFrom(schedule, network, root) {
  const known = schedule.from[String(root)];
  if (known) return { root, ...known };
  const roots = Object.keys(schedule.from).map(Number);
  if (!schedule.anyRoot) return scheduleFrom(schedule, network, roots[0]);
  const first = schedule.from[String(roots[0])];
  const nodes = first.parent.length;
  const image = new Array(nodes).fill(NONE);
  image[roots[0]] = root;
  const result = { ...first, root };
  for (const name of ["parent", "port", "step"]) result[name] = new Array(nodes).fill(NONE);
  result.step[root] = 0;
  const order = [...first.step.keys()].sort((one, other) => first.step[one] - first.step[other]);
  for (const node of order) {
    if (node === roots[0]) continue;
    const above = image[first.parent[node]];
    const there = network.neighbour[above][first.port[node]];
    image[node] = there;
    result.parent[there] = above;
    result.port[there] = first.port[node];
    result.step[there] = first.step[node];
  }
  return result;
}

// How deep each node is in a tree.
export function depthsOf(parent) {
  const depth = new Array(parent.length).fill(NONE);
  const of = (node) => {
    if (depth[node] === NONE) depth[node] = parent[node] < 0 ? 0 : 1 + of(parent[node]);
    return depth[node];
  };
  parent.forEach((_, node) => of(node));
  return depth;
}
