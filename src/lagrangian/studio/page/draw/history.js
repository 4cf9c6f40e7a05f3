// The history of the drawing: undo and redo.
import { copy, empty } from "./edits.js";

const MAX_CHANGES = 200;

export class History {
  constructor(drawing = empty()) {
    this.now = drawing;
    this.past = [];
    this.future = [];
    this.listeners = [];
  }

  onChange(listener) { this.listeners.push(listener); }

  tell(how) { for (const listener of this.listeners) listener(this.now, how); }

  /** Change the drawing by a function of a copy; a function that returns false has changed nothing. */
  change(edit) {
    const next = copy(this.now);
    const answer = edit(next);
    if (answer === false) return false;
    this.put(next);
    return answer ?? true;
  }

  /** Replace the drawing by another. */
  put(drawing, how = "edit") {
    if (JSON.stringify(drawing) === JSON.stringify(this.now)) return;
    this.past.push(this.now);
    if (this.past.length > MAX_CHANGES) this.past.shift();
    this.future = [];
    this.now = drawing;
    this.tell(how);
  }

  /** Show a drawing that is not in the history yet, such as during a drag. */
  show(drawing) {
    this.now = drawing;
    this.tell("shown");
  }

  /** Put the drawing that is shown into the history, as a change since `before`. */
  settle(before) {
    const after = this.now;
    this.now = before;
    this.put(after);
    if (this.now === before) this.tell("edit");
  }

  undo() { this.#go(this.past, this.future); }
  redo() { this.#go(this.future, this.past); }

  #go(from, to) {
    if (!from.length) return;
    to.push(this.now);
    this.now = from.pop();
    this.tell("undo");
  }
}
