// The start of the page: buttons, keys and the first drawing.
import { beginTheme } from "../js/theme.js";
import { icon as common } from "../js/icons.js";
import { menu } from "../js/menu.js";
import { App, TABS } from "./app.js";
import * as edits from "./edits.js";
import { $, make } from "./dom.js";
import { icon } from "./icons.js";
import { listen } from "./pointer.js";
import { TOOLS } from "./tools.js";

const app = new App();

for (const { name, title, key, what } of TOOLS) {
  const button = make("button", { type: "button", role: "radio", "aria-checked": "false", "data-tool": name, title: `${title} (${key.toUpperCase()}): ${what}`, onclick: () => app.take(name) }, icon(name), make("span", {}, title));
  $("tools").append(button);
}
for (const [id, name] of Object.entries({ undo: "undo", redo: "redo", rewind: "rewind", fit: "fit", closer: "plus", further: "minus", snap: "magnet" })) $(id).prepend(icon(name));

$("theme").prepend(common("theme"));
$("stop").prepend(common("stop"));
$("stop").addEventListener("click", () => app.run?.stop());
beginTheme();
listen($("stage"), app);
$("undo").addEventListener("click", () => app.history.undo());
$("redo").addEventListener("click", () => app.history.redo());
$("play").addEventListener("click", () => app.play());
$("rewind").addEventListener("click", () => app.player.rewind());
$("time").addEventListener("input", () => app.player.seek($("time").valueAsNumber));
$("speed").addEventListener("change", () => { app.player.speed = Number($("speed").value); });
$("fit").addEventListener("click", () => app.fit());
$("closer").addEventListener("click", () => app.view.zoom(1.25));
$("further").addEventListener("click", () => app.view.zoom(0.8));
$("snap").addEventListener("click", () => {
  app.snapping = !app.snapping;
  $("snap").setAttribute("aria-pressed", String(app.snapping));
});
menu($("begin"), () => app.files.examples().catch((error) => (app.say(error.message, "bad"), [])));
$("new").addEventListener("click", () => app.files.begin(edits.empty()));
$("open").addEventListener("click", () => app.files.open());
$("save").addEventListener("click", () => app.files.save());
$("studio").addEventListener("click", () => app.files.studio());
$("name").addEventListener("change", () => {
  const name = $("name").value.trim().slice(0, 60);
  if (name) app.history.change((d) => { d.name = name; });
  else app.named();
});
$("copy").addEventListener("click", async () => {
  const done = await navigator.clipboard.writeText($("text").textContent).then(() => true, () => false);
  app.say(done ? "The description was copied." : "The browser did not allow copying.", done ? "good" : "bad");
});
for (const name of TABS) $(`tab-${name}`).addEventListener("click", () => app.show(name));

/** Arrow keys move from one tool or tab to the next. */
for (const list of [$("tools"), $("tabs")]) {
  list.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step) return;
    const all = [...list.querySelectorAll("button")], next = all[(all.indexOf(document.activeElement) + step + all.length) % all.length];
    next.focus();
    next.click();
    event.preventDefault();
  });
}

addEventListener("keydown", (event) => {
  if (event.target.matches("input, select, textarea, [contenteditable]") || document.querySelector("dialog[open]")) return;
  const key = event.key.toLowerCase(), command = event.ctrlKey || event.metaKey;
  const tool = TOOLS.find((one) => one.key === key);
  if (command && key === "z") event.shiftKey ? app.history.redo() : app.history.undo();
  else if (command && key === "y") app.history.redo();
  else if (command && key === "s") app.files.save();
  else if (command || event.altKey) return;
  else if (key === "escape") app.state.pending ? app.cancel() : app.choose(null);
  else if ((key === "delete" || key === "backspace") && app.state.chosen) app.erase(app.state.chosen);
  else if (key === " " && !event.target.matches("button")) app.play();
  else if (tool) app.take(tool.name);
  else return;
  event.preventDefault();
});

async function start() {
  app.take("bar");
  app.show("part");
  app.view.fit([]);
  await app.files.started().catch((error) => app.say(error.message, "bad"));
  app.named();
  app.describe();
  window.board = app; // for those who look at it from the console
  document.documentElement.dataset.ready = "";
}

start();
