// Text that could not be sent is kept in the browser until a server takes it.

/** Read the text that is kept under a name, or write it; null removes it. */
export function unsentText(name, given) {
  try {
    if (given === undefined) return JSON.parse(localStorage.getItem(name));
    if (given === null) localStorage.removeItem(name);
    else localStorage.setItem(name, JSON.stringify(given));
  } catch { /* a browser that keeps nothing */ }
  return null;
}
