// The worker of a page: it opens a module, and computes a motion whenever it is given other inputs.

// functions of the mathematical library that a module may import
const env = {};
for (const name of ["exp", "log", "tanh", "asin", "acos", "atan", "atan2", "floor"]) env[name] = Math[name];

function makeComputer(instance, plan) {
  const program = new Program(instance.exports, plan), run = new Run(program), results = new Results(program);
  return (values, arrows = false) => {
    const began = performance.now();
    const ended = run.go(Array.from(values));
    const motion = results.of(Number(program.c[ROW]), run.inputs, arrows);
    return { ...motion, ended, events: run.events, spent: performance.now() - began };
  };
}

let compute = null;

/** A motion; or one without rows that says what went wrong, so that the page does not wait for it. */
function computeMotion({ inputs, arrows }) {
  try {
    return compute(inputs, arrows);
  } catch (error) {
    const empty = { t: new Float64Array(0), poses: new Float32Array(0), values: new Float64Array(0), arrows: new Float32Array(0) };
    return { ...empty, ended: { t: 0, reason: `the computation failed: ${error.message || error}` }, events: [], spent: 0 };
  }
}

async function answer({ data }) {
  if (data.kind === "open") {
    try {
      const { instance } = await WebAssembly.instantiate(data.wasm, { env });
      compute = makeComputer(instance, data.plan);
      postMessage({ kind: "ready" });
    } catch (error) {
      postMessage({ kind: "failed", reason: String(error.message || error) });
    }
  } else if (data.kind === "run") {
    const motion = computeMotion(data);
    postMessage({ kind: "motion", id: data.id, ...motion }, [motion.t.buffer, motion.poses.buffer, motion.values.buffer, motion.arrows.buffer]);
  }
}

if (typeof WorkerGlobalScope !== "undefined" && self instanceof WorkerGlobalScope) onmessage = answer;
