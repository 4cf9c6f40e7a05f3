// The worker of a page: it opens a module, and computes a motion for every message with inputs.

// functions of the mathematical library that a module may import
const env = {};
for (const name of ["exp", "log", "tanh", "asin", "acos", "atan", "atan2", "floor"]) env[name] = Math[name];

function openModule(instance, plan) {
  const program = new Program(instance.exports, plan), run = new Run(program), results = new Results(program);
  return (values, arrows = false) => {
    const begin = performance.now();
    const ended = run.simulate(Array.from(values));
    const motion = results.collect(Number(program.c[ROW]), run.inputs, arrows);
    return { ...motion, ended, events: run.events, spent: performance.now() - begin };
  };
}

let compute = null;

/** Compute a motion; if that fails, one without rows that says why, so that the page does not wait for it. */
function computeMotion({ inputs, arrows }) {
  try {
    return compute(inputs, arrows);
  } catch (error) {
    const empty = { t: new Float64Array(0), poses: new Float32Array(0), values: new Float64Array(0), arrows: new Float32Array(0) };
    return { ...empty, ended: { t: 0, reason: `the computation failed: ${error.message || error}` }, events: [], spent: 0 };
  }
}

async function handleMessage({ data }) {
  if (data.kind === "open") {
    try {
      const { instance } = await WebAssembly.instantiate(data.wasm, { env });
      compute = openModule(instance, data.plan);
      postMessage({ kind: "ready" });
    } catch (error) {
      postMessage({ kind: "failed", reason: String(error.message || error) });
    }
  } else if (data.kind === "run") {
    const motion = computeMotion(data);
    postMessage({ kind: "motion", id: data.id, ...motion }, [motion.t.buffer, motion.poses.buffer, motion.values.buffer, motion.arrows.buffer]);
  }
}

if (typeof WorkerGlobalScope !== "undefined" && self instanceof WorkerGlobalScope) onmessage = handleMessage;
