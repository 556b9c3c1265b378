// From places in the network to points of the screen, and back.

// Pixels beside the network, fewer on a phone.
const marginOf = (width) => Math.max(28, Math.min(44, width / 13));

// How the whole network fits into a picture.
export function fit(network, width, height) {
  const span = (values) => [Math.min(...values), Math.max(...values)];
  const [left, right] = span(network.x);
  const [bottom, top] = span(network.y);
  const wide = Math.max(right - left, 1e-6);
  const high = Math.max(top - bottom, 1e-6);
  const margin = marginOf(width);
  const scale = Math.min((width - 2 * margin) / wide, (height - 2 * margin) / high, 170);
  return { scale: Math.max(scale, 0.5), x: width / 2 - (scale * (left + right)) / 2, y: height / 2 + (scale * (bottom + top)) / 2 };
}

export function pointOf(view, network, node) {
  return { x: view.x + view.scale * network.x[node], y: view.y - view.scale * network.y[node] };
}

export function zoomed(view, factor, x, y) {
  const scale = Math.max(2, Math.min(600, view.scale * factor));
  const real = scale / view.scale;
  return { scale, x: x + (view.x - x) * real, y: y + (view.y - y) * real };
}

export function moved(view, x, y) {
  return { ...view, x: view.x + x, y: view.y + y };
}

// The middle control point of a link's curve: bends are heights to the left of the way, as a share.
export function control(view, network, node, port) {
  const start = pointOf(view, network, node);
  const end = pointOf(view, network, network.neighbour[node][port]);
  const bend = 2 * network.bend[node][port];
  return {
    start,
    end,
    // The screen's y leads down: left of the way is there (y, -x).
    middle: {
      x: (start.x + end.x) / 2 + bend * (end.y - start.y),
      y: (start.y + end.y) / 2 - bend * (end.x - start.x),
    },
  };
}

export function along({ start, middle, end }, share) {
  const rest = 1 - share;
  const mix = (name) => rest * rest * start[name] + 2 * rest * share * middle[name] + share * share * end[name];
  const turn = (name) => 2 * rest * (middle[name] - start[name]) + 2 * share * (end[name] - middle[name]);
  return { x: mix("x"), y: mix("y"), angle: Math.atan2(turn("y"), turn("x")) };
}

// The part of a curve that is seen between two nodes of a radius, as shares.
export function between({ start, middle, end }, radius) {
  const length = Math.hypot(middle.x - start.x, middle.y - start.y) + Math.hypot(end.x - middle.x, end.y - middle.y);
  const hidden = Math.min(0.42, radius / Math.max(length, 1));
  return [hidden, 1 - hidden];
}

// The node that is nearest to a point, no further than so many pixels; or -1.
export function nodeAt(view, network, x, y, reach) {
  let best = -1;
  let least = reach;
  for (let node = 0; node < network.nodes; node++) {
    const point = pointOf(view, network, node);
    const distance = Math.hypot(point.x - x, point.y - y);
    if (distance < least) [best, least] = [node, distance];
  }
  return best;
}

export function radiusOf(view) {
  return Math.max(2.4, Math.min(24, view.scale * 0.3));
}
