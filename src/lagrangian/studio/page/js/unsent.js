// What no server took, the browser keeps until one does; and what was under way to it, until this tab is loaded again.

/** Read what is kept under a name, or write it; null removes it. */
export function unsent(name, given) {
  try {
    if (given === undefined) return JSON.parse(localStorage.getItem(name));
    if (given === null) localStorage.removeItem(name);
    else localStorage.setItem(name, JSON.stringify(given));
  } catch { /* a browser that keeps nothing */ }
  return null;
}

/** What is under way to the server while the page goes: if the page is loaded again, it may be asked for before it is there. */
export function leave(name, given) {
  try {
    sessionStorage.setItem(name, JSON.stringify(given));
  } catch { /* a browser that keeps nothing */ }
}

/** What this tab left, if it was loaded again and nothing else was done in between. */
export function leftHere(name) {
  try {
    const text = sessionStorage.getItem(name);
    sessionStorage.removeItem(name);
    return performance.getEntriesByType("navigation")[0]?.type === "reload" ? JSON.parse(text) : null;
  } catch {
    return null;
  }
}
