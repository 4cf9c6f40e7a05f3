// Requests to the server: single ones, and jobs with their events.

export class RequestError extends Error {
  constructor(message, { remedy = "", line = null, status = 0, body = null } = {}) {
    super(message);
    Object.assign(this, { remedy, line, status, body });
  }
}

export class JobStopped extends Error {}

export const STOPPED = "The server has stopped. Your text is safe.";
const OTHER_SERVER = "This page belongs to a server that has stopped. Open the address that the new server printed. Your text is safe.";
const listeners = new Set();

/** Call `listener` when a request reached the server (true), or did not, or was refused by another server (false and a sentence). */
export const onContact = (listener) => listeners.add(listener);
const notifyContact = (reached, reason) => listeners.forEach((listener) => listener(reached, reason));

export async function ask(method, path, body, options = {}) {
  let answer;
  try {
    answer = await fetch(path, {
      method, cache: "no-store", credentials: "same-origin", ...options,
      ...(body === undefined ? {} : { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }),
    });
  } catch (error) {
    if (error.name === "AbortError") throw new JobStopped();
    notifyContact(false, STOPPED);
    throw new RequestError(STOPPED);
  }
  if (answer.status === 403) {
    notifyContact(false, OTHER_SERVER);
    throw new RequestError(OTHER_SERVER, { status: 403 });
  }
  notifyContact(true);
  const data = await answer.json().catch(() => null);
  if (answer.ok) return data;
  throw new RequestError(data?.error || `The server answered ${answer.status}.`, { ...data, status: answer.status, body: data });
}

export const get = (path) => ask("GET", path);
export const post = (path, body, options) => ask("POST", path, body, options);

/**
 * A function of which one call runs at a time. Of the calls that come meanwhile, the last one follows, and the others are dropped.
 * Its promise is fulfilled when the call itself, or the one that replaced it, is done.
 */
export function latestOnly(work) {
  let running = null, next = null;
  const run = async (parameters) => work(...parameters);
  return function call(...parameters) {
    if (next) next.parameters = parameters;
    else if (running) {
      next = { parameters };
      next.done = running.catch(() => {}).then(() => {
        const then = next.parameters;
        next = null;
        return call(...then);
      });
    } else return (running = run(parameters).finally(() => { running = null; }));
    return next.done;
  };
}

/** A job on the server. `on.progress` and `on.partial` get its events; `result` is a promise; `stop()` ends it at once. */
export function job(kind, text, format, options, on = {}) {
  let id = null, ended = false, source = null, fail;
  const result = new Promise((resolve, reject) => {
    const end = (settle, value) => {
      if (ended) return;
      ended = true;
      source?.close();
      settle(value);
    };
    fail = (error) => end(reject, error);
    post("/api/jobs", { kind, text, format, options }).then((answer) => {
      id = answer.id;
      if (ended) return void ask("DELETE", `/api/jobs/${id}`).catch(() => {});
      source = new EventSource(`/api/jobs/${encodeURIComponent(id)}/events`);
      source.onmessage = (message) => {
        const event = JSON.parse(message.data);
        if (event.progress) on.progress?.(event.progress);
        if (event.partial) on.partial?.(event.partial);
        if ("result" in event) end(resolve, event.result);
        if (event.error) fail(new RequestError(event.error.message, event.error));
        if (event.stopped) fail(new JobStopped());
      };
      source.onerror = () => get("/api/alive").then(() => fail(new RequestError("The job ended without a result.")), fail);
    }, fail);
  });
  return {
    result,
    stop() {
      if (id !== null && !ended) ask("DELETE", `/api/jobs/${encodeURIComponent(id)}`).catch(() => {});
      fail(new JobStopped());
    },
  };
}
