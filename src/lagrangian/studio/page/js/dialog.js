// Dialogs that ask, and notes about what happened.

import { element } from "/player.js";
import { icon } from "./icons.js";

/**
 * Ask with a form. `fields` are `{name, label, kind: "text" | "number" | "lines" | "choice" | "tick", value, choices, labels}`.
 * `body` is shown below the text. Where something may be lost, `careful` makes Cancel what Enter chooses.
 * The answer is `{action, ...values}`, or null if it was closed.
 */
export function question(title, { text = "", body = null, careful = false, fields = [], actions = [{ name: "ok", label: "OK" }] } = {}) {
  const form = element("form", { method: "dialog" }, element("h2", { id: "question" }, title));
  const box = element("dialog", { "aria-labelledby": "question" }, form);
  if (text) form.append(element("p", { class: "quiet" }, text));
  if (body) form.append(body);
  const inputs = new Map(), list = element("div", { class: "fields" });
  for (const field of fields) {
    const input = inputOf(field);
    inputs.set(field.name, input);
    list.append(field.kind === "tick" ? element("label", { class: "tick" }, input, field.label) : element("label", {}, field.label, input));
  }
  if (fields.length) form.append(list);
  const buttons = element("div", { class: "actions" }, element("button", { type: "button", value: "", class: careful ? "primary" : "" }, "Cancel"));
  actions.forEach(({ name, label }, k) =>
    buttons.append(element("button", { type: "submit", value: name, class: k === actions.length - 1 && !careful ? "primary" : "" }, label)));
  form.append(buttons);
  document.body.append(box);
  buttons.firstChild.addEventListener("click", () => box.close(""));
  return new Promise((resolve) => {
    box.addEventListener("close", () => {
      const answer = box.returnValue ? { action: box.returnValue } : null;
      if (answer) for (const [name, input] of inputs) answer[name] = input.type === "checkbox" ? input.checked : input.value;
      box.remove();
      resolve(answer);
    });
    // Enter in a field takes the last action, which is the one meant
    form.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.target.tagName !== "INPUT") return;
      event.preventDefault();
      form.requestSubmit(buttons.lastChild);
    });
    box.showModal();
    (inputs.values().next().value || (careful ? buttons.firstChild : buttons.lastChild)).focus();
  });
}

function inputOf({ kind = "text", value = "", choices = [], labels = choices }) {
  if (kind === "choice") {
    const select = element("select");
    choices.forEach((choice, k) => select.append(element("option", choice === value ? { value: choice, selected: "" } : { value: choice }, String(labels[k]))));
    return select;
  }
  if (kind === "lines") return element("textarea", { rows: 3 }, value);
  const input = element("input", { type: kind === "tick" ? "checkbox" : kind });
  if (kind === "tick") input.checked = Boolean(value);
  else input.value = value;
  if (kind === "number") input.step = "any";
  return input;
}

/** A note in the corner; it disappears by itself unless it is about a problem or has a button. */
export function note(text, { kind = "good", detail = "", stays = kind !== "good" } = {}) {
  const words = element("div", {}, text);
  if (detail) words.append(element("div", { class: "quiet small" }, detail));
  const shut = element("button", { type: "button", class: "shut", "aria-label": "Close the note" }, icon("close"));
  const box = element("div", { class: `note ${kind}`, role: kind === "bad" ? "alert" : "status" }, words, shut);
  shut.addEventListener("click", () => box.remove());
  document.getElementById("notes").append(box);
  if (!stays) setTimeout(() => box.remove(), 9000);
  return box;
}

/** Several remarks folded in one note; a single remark is shown as it is. */
export function remarks(title, list) {
  if (list.length < 2) return list.map((text) => note(text, { kind: "busy" }));
  const fold = element("details", {}, element("summary", {}, "Show details"), element("ul", {}, ...list.map((text) => element("li", {}, text))));
  const box = note(title, { kind: "busy" });
  box.firstChild.append(fold);
  return [box];
}
