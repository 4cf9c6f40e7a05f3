// What is folded and long stands packed in the page, as base64 of deflate, and is unpacked when it is first opened.

document.addEventListener("toggle", async (event) => {
  const packed = event.target.open && event.target.querySelector(":scope > script.packed");
  if (!packed) return;
  packed.remove();
  const place = document.createElement("div");
  event.target.append(place);
  if (typeof DecompressionStream === "undefined") {
    place.textContent = "This browser is too old to show this part.";
    return;
  }
  const bytes = Uint8Array.from(atob(packed.textContent), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  place.innerHTML = await new Response(stream).text();  // markup that the report wrote, in which every name is escaped
}, true);
