// Unpacks data that Python packed: deflated, as base64.

/** What this browser lacks to compute, as the end of a sentence; empty if it lacks nothing. */
function missingFeature() {
  if (typeof WebAssembly === "undefined") return "this browser has no WebAssembly";
  if (typeof Worker === "undefined") return "this browser has no workers";
  if (typeof DecompressionStream === "undefined") return "this browser cannot unpack the program";
  return "";
}

async function inflate(text) {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).arrayBuffer();
}
