// A player in a notebook: it shares the values of its sliders with the kernel, and follows the notebook's theme.

/** The theme of the notebook, as its page says; none where it does not say, and the browser's choice counts. */
function themeOf({ jpThemeLight, vscodeThemeKind }) {
  if (jpThemeLight) return jpThemeLight === "true" ? "light" : "dark";
  return vscodeThemeKind ? (vscodeThemeKind.endsWith("light") ? "light" : "dark") : "";
}

/** Give an element the theme, now and when it changes; return a function that ends this. */
function followTheme(root, changed) {
  const follow = () => {
    root.dataset.theme = themeOf(document.body.dataset);
    changed();
  };
  const watch = new MutationObserver(follow);
  watch.observe(document.body, { attributes: true, attributeFilter: ["data-jp-theme-light", "data-vscode-theme-kind"] });
  follow();
  return () => watch.disconnect();
}

/** Keep the values of the sliders and of the model equal; return a function that ends this. */
function followInputs(computing, model) {
  const { inputs } = computing.plan;
  const send = ({ detail }) => {
    model.set("inputs", Object.fromEntries(inputs.map((it, k) => [it.label, detail.values[k]])));
    model.save_changes();
  };
  const take = () => computing.set(inputs.map((it) => model.get("inputs")[it.label] ?? it.value));
  computing.root.addEventListener("lagrangian-changed", send);
  model.on("change:inputs", take);
  take();
  return () => model.off("change:inputs", take);
}

/** Keep keys of the player from the notebook, except those with Ctrl, and Shift+Enter. */
function ownKeys(event) {
  if (!event.ctrlKey && !event.metaKey && !event.altKey && event.key !== "Enter") event.stopPropagation();
}

function render({ model, el }) {
  const root = document.createElement("div");
  root.className = "lagrangian-notebook";
  root.innerHTML = model.get("_markup");  // that of a page: what comes from files was escaped by Python
  const element = root.querySelector(".lagrangian-player");
  element.id = `lagrangian-notebook-${++shared.count}`;  // a widget may be shown twice
  root.addEventListener("keydown", ownKeys);
  root.dataset.jpSuppressContextMenu = "";
  shared.mount(root);
  el.append(root);
  const { player } = element, computing = element.parentElement.computing;
  const ends = [followTheme(root, () => player.refresh())];
  if (computing) ends.push(followInputs(computing, model));
  return () => {
    for (const end of ends) end();
    (computing || player).close();
  };
}

export default { render };
