// Unpacks a track that pack.py wrote: numbers with the precision that can be seen.

function decode(text) {
  const data = JSON.parse(text);
  const bytes = inflateBytes(Uint8Array.from(atob(data.block), (c) => c.charCodeAt(0)), data.bytes).buffer;
  const rows = data.rows;

  const vectors = (it) => {
    if (it.fixed) return repeatRow(it.fixed, rows);
    if (it.wide) return new Float32Array(bytes, it.at, 3 * rows);
    const steps = new Uint16Array(bytes, it.at, 3 * rows);
    return Float32Array.from(steps, (s, k) => it.low[k % 3] + s * it.step);
  };
  const quaternions = (it) => {
    if (it.fixed) return repeatRow(it.fixed, rows);
    return Float32Array.from(new Int16Array(bytes, it.at, 4 * rows), (s) => s / 32767);
  };

  data.t = new Float32Array(bytes, data.t, rows);
  for (const frame of data.frames) {
    frame.moves = !(frame.p.fixed && frame.r.fixed);
    frame.p = vectors(frame.p);
    frame.r = quaternions(frame.r);
  }
  for (const part of data.parts) {
    part.v = new Uint16Array(bytes, part.v, 3 * part.n);
    part.d = new Int8Array(bytes, part.d, 3 * part.n);
    part.f = part.short ? new Uint16Array(bytes, part.f, part.m) : new Uint32Array(bytes, part.f, part.m);
  }
  for (const arrow of data.arrows) {
    arrow.p = vectors(arrow.p);
    arrow.v = vectors(arrow.v);
  }
  return data;
}

function repeatRow(values, rows) {
  const out = new Float32Array(values.length * rows);
  for (let k = 0; k < rows; k++) out.set(values, k * values.length);
  return out;
}
