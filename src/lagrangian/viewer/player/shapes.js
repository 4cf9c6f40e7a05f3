// The unit shapes of struts, arrows and axes, which matrices scale.

const ROUND = 20;

/** Radius 1, z from 0 to 1, closed. */
function cylinder() {
  const rings = [];
  for (const z of [0, 1]) rings.push({ z, r: 1, nr: 1, nz: 0 });
  return lathe([rings, [{ z: 1, r: 1, nr: 0, nz: 1 }, { z: 1, r: 0, nr: 0, nz: 1 }], [{ z: 0, r: 0, nr: 0, nz: -1 }, { z: 0, r: 1, nr: 0, nz: -1 }]]);
}

/** Radius 1 at z = 0, its tip at z = 1. */
function cone() {
  const s = Math.SQRT1_2;
  return lathe([[{ z: 0, r: 1, nr: s, nz: s }, { z: 1, r: 0.001, nr: s, nz: s }], [{ z: 0, r: 0, nr: 0, nz: -1 }, { z: 0, r: 1, nr: 0, nz: -1 }]]);
}

function ball() {
  const ring = [];
  for (let k = 0; k <= 10; k++) {
    const a = (Math.PI * k) / 10 - Math.PI / 2;
    ring.push({ z: Math.sin(a), r: Math.cos(a), nr: Math.cos(a), nz: Math.sin(a) });
  }
  return lathe([ring]);
}

/** Surfaces of revolution about z, each through its rings. */
function lathe(strips) {
  const v = [], d = [], f = [];
  for (const rings of strips) {
    const first = v.length / 3;
    for (const { z, r, nr, nz } of rings)
      for (let k = 0; k <= ROUND; k++) {
        const c = Math.cos((2 * Math.PI * k) / ROUND), s = Math.sin((2 * Math.PI * k) / ROUND);
        v.push(r * c, r * s, z);
        d.push(nr * c, nr * s, nz);
      }
    sheet(f, first, rings.length - 1, ROUND);
  }
  return { v: new Float32Array(v), d: new Float32Array(d), f: new Uint16Array(f) };
}

/** A tube that the vertex shader winds: the distance along it, and the cosine and sine around it. */
function tube(length = 240, around = 10) {
  const v = [], f = [];
  for (let i = 0; i <= length; i++)
    for (let k = 0; k <= around; k++)
      v.push(i / length, Math.cos((2 * Math.PI * k) / around), Math.sin((2 * Math.PI * k) / around));
  sheet(f, 0, length, around);
  return { v: new Float32Array(v), d: new Float32Array(v), f: new Uint16Array(f) };
}

function sheet(f, first, length, around) {
  for (let i = 0; i < length; i++)
    for (let k = 0; k < around; k++) {
      const a = first + i * (around + 1) + k, b = a + around + 1;
      f.push(a, a + 1, b, a + 1, b + 1, b);
    }
}
