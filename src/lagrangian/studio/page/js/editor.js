// The editor of the description: highlighting, errors at their lines, completion, and a history that includes dragged lengths.

import * as cm from "/vendored/codemirror/codemirror.js";
import { post } from "./api.js";

const { EditorState, EditorView, Compartment, Transaction, keymap, tags } = cm;

const colours = cm.HighlightStyle.define([
  { tag: tags.comment, color: "var(--code-comment)", fontStyle: "italic" },
  { tag: [tags.propertyName, tags.attributeName], color: "var(--code-key)" },
  { tag: [tags.string, tags.attributeValue], color: "var(--code-string)" },
  { tag: [tags.number, tags.bool], color: "var(--code-number)" },
  { tag: [tags.atom, tags.tagName, tags.heading], color: "var(--code-table)", fontWeight: "600" },
  { tag: [tags.angleBracket, tags.bracket], color: "var(--soft)" },
]);

const look = EditorView.theme({
  "&": { height: "100%", color: "var(--ink)", backgroundColor: "var(--paper)", fontSize: "13px" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.55" },
  ".cm-content": { caretColor: "var(--ink)", padding: "6px 0 40px" },
  ".cm-cursor": { borderLeftColor: "var(--ink)", borderLeftWidth: "2px" },
  ".cm-gutters": { backgroundColor: "var(--paper)", color: "var(--faint)", border: "none" },
  ".cm-activeLine": { backgroundColor: "var(--line-wash)" },
  ".cm-activeLineGutter": { backgroundColor: "var(--line-wash)", color: "var(--ink)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { background: "var(--select)" },
  ".cm-selectionMatch": { backgroundColor: "var(--match)" },
  ".cm-matchingBracket, &.cm-focused .cm-matchingBracket": { backgroundColor: "var(--match)", outline: "1px solid var(--edge)" },
  ".cm-tooltip": { backgroundColor: "var(--paper)", color: "var(--ink)", border: "1px solid var(--line)", borderRadius: "6px", boxShadow: "0 4px 18px var(--shadow)", overflow: "hidden" },
  ".cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)", fontSize: "12.5px", maxHeight: "15em" },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--on-accent)" },
  ".cm-completionDetail": { fontStyle: "normal", opacity: "0.75", fontFamily: "var(--sans)" },
  ".cm-diagnostic": { fontFamily: "var(--sans)", fontSize: "13px", padding: "6px 10px", maxWidth: "34em", whiteSpace: "normal" },
  ".cm-diagnostic-error": { borderLeft: "4px solid var(--bad)" },
  ".cm-diagnostic-warning": { borderLeft: "4px solid var(--warn)" },
  ".cm-lintRange-error": { backgroundImage: "none", textDecoration: "underline wavy var(--bad) 1.5px", textUnderlineOffset: "3px", textDecorationSkipInk: "none" },
  ".cm-lintRange-warning": { backgroundImage: "none", textDecoration: "underline wavy var(--warn) 1.5px", textUnderlineOffset: "3px", textDecorationSkipInk: "none" },
  ".cm-panels": { backgroundColor: "var(--wash)", color: "var(--ink)", borderColor: "var(--line)" },
  ".cm-panels button, .cm-panels input": { font: "inherit" },
  ".cm-textfield": { backgroundColor: "var(--paper)", borderColor: "var(--edge)", color: "inherit" },
  ".cm-button": { backgroundImage: "none", backgroundColor: "var(--paper)", borderColor: "var(--edge)", color: "inherit" },
  ".cm-panel.cm-search label": { fontSize: "12px" },
});

export class Editor {
  /** `on.change()` after every edit; `on.place(line, column)` as the cursor moves. */
  constructor(parent, on) {
    this.language = new Compartment();
    this.on = on;
    this.format = "toml";
    this.view = new EditorView({ parent });
    this.load("", "toml");
  }

  /** Load another document, with a history of its own. */
  load(text, format) {
    this.format = format;
    this.crlf = text.includes("\r\n");
    this.view.setState(EditorState.create({ doc: text, extensions: this.extensions(format) }));
    this.view.dispatch({ effects: EditorView.scrollIntoView(0, { y: "start" }) });
    this.place();
    this.on.change({ loaded: true });
  }

  extensions(format) {
    return [
      cm.lineNumbers(), cm.lintGutter(), cm.highlightSpecialChars(), cm.history(), cm.drawSelection(), cm.indentOnInput(),
      cm.bracketMatching(), cm.closeBrackets(), cm.highlightActiveLine(), cm.highlightActiveLineGutter(), cm.highlightSelectionMatches(),
      cm.search({ top: true }), cm.indentUnit.of("  "), EditorState.tabSize.of(2), cm.syntaxHighlighting(colours), look,
      this.language.of(languageOf(format)),
      cm.autocompletion({ override: [(context) => this.complete(context)], icons: false }),
      keymap.of([
        ...cm.closeBracketsKeymap, ...cm.completionKeymap, ...cm.defaultKeymap, ...cm.searchKeymap, ...cm.historyKeymap, ...cm.lintKeymap,
      ]),
      EditorView.contentAttributes.of({ "aria-label": "Description of the mechanism", "aria-multiline": "true" }),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) this.on.change({ loaded: false });
        if (update.selectionSet || update.docChanged) this.place();
      }),
    ];
  }

  get text() {
    return this.view.state.doc.toString();
  }

  /** The text for the file, with the line ends that it was loaded with. */
  get written() {
    return this.crlf ? this.text.replaceAll("\n", "\r\n") : this.text;
  }

  place() {
    const { state } = this.view, head = state.selection.main.head, line = state.doc.lineAt(head);
    this.on.place(line.number, head - line.from + 1);
  }

  /** Mark the problems at their lines. */
  mark(problems) {
    const { doc } = this.view.state, diagnostics = problems.filter((p) => p.line !== null).map((p) => {
      const first = doc.line(Math.min(Math.max(p.line || 1, 1), doc.lines));
      const last = doc.line(Math.min(Math.max(p.end_line || p.line || 1, first.number), doc.lines));
      let from = Math.min(first.from + Math.max((p.column || 1) - 1, 0), first.to);
      let to = p.end_column ? Math.min(last.from + Math.max(p.end_column - 1, 0), last.to) : first.to;
      if (to <= from) [from, to] = [first.from + (first.text.length - first.text.trimStart().length), first.to];
      return { from, to, severity: p.severity === "warning" ? "warning" : "error", message: p.remedy ? `${p.message}\n${p.remedy}` : p.message };
    });
    this.view.dispatch(cm.setDiagnostics(this.view.state, diagnostics));
  }

  /** Whether the line of the cursor is visible. */
  get sees() {
    const place = this.view.coordsAtPos(this.view.state.selection.main.head), box = this.view.scrollDOM.getBoundingClientRect();
    return place !== null && place.top >= box.top && place.bottom <= box.bottom;
  }

  /** Scroll to the line of the cursor, no further than needed. */
  reveal() {
    this.view.dispatch({ effects: EditorView.scrollIntoView(this.view.state.selection.main.head, { y: "nearest", yMargin: 24 }) });
  }

  goTo(line, column = 1) {
    const { doc } = this.view.state, at = doc.line(Math.min(Math.max(line, 1), doc.lines));
    const head = Math.min(at.from + Math.max(column - 1, 0), at.to);
    this.view.dispatch({ selection: { anchor: head }, effects: EditorView.scrollIntoView(head, { y: "center" }) });
    this.view.focus();
  }

  async complete(context) {
    if (this.format !== "toml") return null;
    const before = context.matchBefore(/[\w.]+|\[+\w*|= ?"?/);
    if (!context.explicit && !before) return null;
    const text = context.state.doc.toString();
    const found = await post("/api/complete", { text, offset: context.pos }).catch(() => []);
    if (!found?.length || context.aborted) return null;
    const { from } = found[0];
    const options = found.filter((f) => f.from === from).map(({ label, type, detail, apply }) => ({ label, type, detail, apply: apply ?? label, boost: type === "class" ? -1 : 0 }));  // entries before tables
    const { to } = found[0];
    return { from, ...(to === undefined ? {} : { to }), options, validFor: /^\w*$/ };
  }

  /** Show a text during a drag, outside of the history. */
  preview(text) {
    this.replace(text, { annotations: Transaction.addToHistory.of(false) });
  }

  /** One step of the history, from the text before a drag to the text after it. */
  commit(before, after) {
    this.preview(before);
    this.replace(after, { annotations: cm.isolateHistory.of("full"), userEvent: "input.drag" });
  }

  /** Replace the text by the shortest single change. */
  replace(text, more = {}) {
    const now = this.text;
    if (now === text) return;
    let from = 0, end = 0;
    const shorter = Math.min(now.length, text.length);
    while (from < shorter && now[from] === text[from]) from++;
    while (end < shorter - from && now[now.length - 1 - end] === text[text.length - 1 - end]) end++;
    this.view.dispatch({ changes: { from, to: now.length - end, insert: text.slice(from, text.length - end) }, ...more });
  }

  undo() {
    cm.undo(this.view);
  }

  redo() {
    cm.redo(this.view);
  }

  get depth() {
    return { undo: cm.undoDepth(this.view.state), redo: cm.redoDepth(this.view.state) };
  }
}

const languageOf = (format) => (format === "toml" ? cm.StreamLanguage.define(cm.toml) : cm.xml());
