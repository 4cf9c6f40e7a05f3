// Shapes that follow parameters: the vertices of the recorded scene, plus their derivatives times the change of each parameter.

class Shapes {
  constructor(shapes, bytes, inputs, scene) {
    this.first = inputs.map((it) => it.value);
    this.parts = new Map();  // of a part: its first vertices, and by how much they change
    this.struts = new Map();
    for (const { input, up, down } of shapes) {
      for (const side of [up, down]) {
        const far = side === up ? "up" : "down";
        for (const [part, at, step] of side.parts) {
          const values = new Int16Array(bytes, at, 3 * scene.parts[part].n);
          derivativesBy(getOrAdd(this.parts, part, () => ({ v: decodeVertices(scene.parts[part]) })), input)[far] = { values, step };
        }
        for (const [strut, a, b] of side.struts) {
          const { pa, pb } = scene.struts[strut];
          derivativesBy(getOrAdd(this.struts, strut, () => ({ pa, pb })), input)[far] = { a, b };
        }
      }
    }
    this.forget();
  }

  /** Return to the recorded shapes. */
  forget() {
    this.drawn = this.first;
  }

  /** The parts and struts that have changed, for the player. */
  at(inputs) {
    const change = inputs.map((x, k) => x - this.first[k]), before = this.drawn, parts = [], struts = [];
    this.drawn = inputs;
    const other = (it) => [...it.slopes.keys()].some((k) => inputs[k] !== before[k]);
    const sides = (it) => [...it.slopes].map(([k, s]) => [change[k], change[k] > 0 ? s.up : s.down]).filter(([x, s]) => x && s);
    for (const [part, it] of this.parts) {
      if (!other(it)) continue;
      const v = new Float32Array(it.v);
      for (const [x, { values, step }] of sides(it)) for (let i = 0, k = x * step; i < v.length; i++) v[i] += k * values[i];
      parts.push({ part, v });
    }
    for (const [strut, it] of this.struts) {
      if (!other(it)) continue;
      const pa = [...it.pa], pb = [...it.pb];
      for (const [x, { a, b }] of sides(it))
        for (let c = 0; c < 3; c++) {
          pa[c] += x * a[c];
          pb[c] += x * b[c];
        }
      struts.push({ strut, pa, pb });
    }
    return { parts, struts };
  }
}

function getOrAdd(map, key, make) {
  if (!map.has(key)) map.set(key, { ...make(), slopes: new Map() });
  return map.get(key);
}

function derivativesBy(it, input) {
  if (!it.slopes.has(input)) it.slopes.set(input, {});
  return it.slopes.get(input);
}

/** The vertices of a part, which pack.py wrote as fractions of its extent. */
function decodeVertices({ v, low, reach }) {
  return Float32Array.from(v, (x, k) => low[k % 3] + (x * reach) / 65535);
}
