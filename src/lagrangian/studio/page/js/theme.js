// The theme, light or dark: that of the system until the user chooses one.

const KEY = "lagrangian-theme", system = matchMedia("(prefers-color-scheme: dark)");
const listeners = new Set();

export const onTheme = (listener) => listeners.add(listener);
export const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function chosenTheme() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

function apply() {
  const now = chosenTheme() || (system.matches ? "dark" : "light");
  document.documentElement.dataset.theme = now;
  const button = document.getElementById("theme");
  button.setAttribute("aria-label", `Colours: ${now}. Change to ${now === "dark" ? "light" : "dark"}.`);
  button.title = now === "dark" ? "Light colours" : "Dark colours";
  listeners.forEach((listener) => listener(now));
}

export function beginTheme() {
  document.getElementById("theme").addEventListener("click", () => {
    const next = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    try {
      if (next === (system.matches ? "dark" : "light")) localStorage.removeItem(KEY);
      else localStorage.setItem(KEY, next);
    } catch { /* it is for this visit then */ }
    document.documentElement.dataset.theme = next;
    apply();
  });
  system.addEventListener("change", apply);
  apply();
}
