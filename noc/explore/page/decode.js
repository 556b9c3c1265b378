// The document: text in base64, packed by deflate, as JSON.

export async function readDocument(text) {
  if (typeof DecompressionStream === "undefined") {
    throw new Error("This browser is too old for the page: it cannot unpack its data.");
  }
  const packed = Uint8Array.from(atob(text.trim()), (letter) => letter.charCodeAt(0));
  const plain = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(plain).text());
}

// The transfers of a run, stream by stream, from their distances to the ones before.
export function unpackEvents(run) {
  const columns = {};
  for (const [name, steps] of Object.entries(run.events)) {
    const values = name === "data" ? new Float64Array(steps.length) : new Int32Array(steps.length);
    let at = 0;
    for (const count of run.count) {
      let value = 0;
      for (const end = at + count; at < end; at++) {
        value += steps[at];
        values[at] = value;
      }
    }
    columns[name] = values;
  }
  return columns;
}
