// The tools: their names, their hints, and the class that handles the pointer.
import { Move, Shape } from "./dragging.js";
import { bar, erase, ground, motor, point, slider } from "./placing.js";

export const TOOLS = [
  { name: "move", key: "v", title: "Move", what: "Drag a pin: the linkage moves and keeps its lengths. Drop a free end on a pin to join them." },
  { name: "shape", key: "r", title: "Reshape", what: "Drag a pin to another place and change the lengths." },
  { name: "bar", key: "b", title: "Bar", what: "Press the mouse button where a bar begins and release it where the bar ends. Begin or end on a pin or on a bar to join them." },
  { name: "ground", key: "g", title: "Ground", what: "Click a pin to fix it to the ground. Click it again to free it." },
  { name: "slider", key: "s", title: "Slider", what: "Press on a pin and drag along the line on which it slides. Release over a bar to slide along that bar." },
  { name: "point", key: "p", title: "Point", what: "Press on a bar and release where you want a point of it. The page draws its path, and you can join bars to it." },
  { name: "motor", key: "m", title: "Motor", what: "Click a pin that joins two links, or a link and the ground. The motor turns one relative to the other." },
  { name: "erase", key: "e", title: "Erase", what: "Click a part to delete it." },
];

export const makeTools = () => ({ move: new Move(), shape: new Shape(), bar: bar(), ground: ground(), slider: slider(), point: point(), motor: motor(), erase: erase() });
