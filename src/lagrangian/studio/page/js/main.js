// The start of the studio: its parts, and which events they listen to.

import { Document } from "./document.js";
import { Editor } from "./editor.js";
import { Exporting } from "./exporting.js";
import { Files } from "./files.js";
import { adorn } from "./icons.js";
import { Layout } from "./layout.js";
import { Mechanism } from "./scene/mechanism.js";
import { Posture } from "./scene/posture.js";
import { Sliders } from "./sliders.js";
import { Status } from "./status.js";
import { ChecksTab } from "./tabs/checks.js";
import { EquationsTab } from "./tabs/equations.js";
import { InverseTab } from "./tabs/inverse.js";
import { MotionTab } from "./tabs/motion.js";
import { StudyTab } from "./tabs/study.js";
import { beginTheme } from "./theme.js";

adorn(document);
beginTheme();

const doc = new Document();
let status = null;
const editor = new Editor(document.getElementById("editor"), {
  change: ({ loaded }) => loaded || doc.changed(),
  place: (line, column) => status?.place(line, column),
});
doc.editor = editor;
status = new Status(doc, editor);
const layout = new Layout(), posture = new Posture(doc);
const desk = { doc, layout, posture };
desk.mechanism = new Mechanism(document.getElementById("stage"), doc, posture, { onHand: (hand) => inverse.begin(hand), onBlank: (place, nothing) => files.blank(place, nothing) });
new Sliders(document.getElementById("side"), posture, () => desk.mechanism.view?.data.size, () => desk.mechanism.still());
new EquationsTab(desk);
new MotionTab(desk);
const inverse = new InverseTab(desk);
new StudyTab(desk);
new ChecksTab(desk);
const files = new Files(doc, editor);
new Exporting(doc);

window.studio = desk;  // for those who look at it from the console
doc.begin(editor).catch((error) => {
  doc.contact(false, error.message);
});
