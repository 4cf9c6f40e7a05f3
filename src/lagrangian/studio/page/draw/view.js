// The visible part of the plane: metres to pixels and back, zoom, pan, and a grid that fits.

const NICE = [1, 2, 5];

export class View {
  constructor(svg) {
    this.svg = svg;
    this.scale = 480; // pixels a metre
    this.x = 0; // of the plane, at the middle of the picture
    this.y = 0;
    this.listeners = [];
    let { width, height } = this;
    new ResizeObserver(() => { // what is drawn stays where it is, as seen from the left and from above
      this.x += (this.width - width) / 2 / this.scale;
      this.y -= (this.height - height) / 2 / this.scale;
      ({ width, height } = this);
      this.changed();
    }).observe(svg);
  }

  onChange(listener) { this.listeners.push(listener); }
  changed() { for (const listener of this.listeners) listener(); }

  get width() { return this.svg.clientWidth || 800; }
  get height() { return this.svg.clientHeight || 500; }

  toScreen(x, y) { return [this.width / 2 + (x - this.x) * this.scale, this.height / 2 - (y - this.y) * this.scale]; }
  toWorld(px, py) { return [this.x + (px - this.width / 2) / this.scale, this.y - (py - this.height / 2) / this.scale]; }

  /** The spacing of grid lines in metres: 1, 2 or 5 times a power of ten, at least about 20 pixels. */
  get grid() {
    const least = 18 / this.scale, power = 10 ** Math.floor(Math.log10(least));
    for (const nice of NICE) if (nice * power >= least) return nice * power;
    return 10 * power;
  }

  /** The number of grid lines from one strong line to the next: at 1 or 5 times a power of ten. */
  get strong() { return { 1: 5, 2: 5, 5: 2 }[Math.round(this.grid / 10 ** Math.floor(Math.log10(this.grid) + 1e-9))] ?? 5; }

  zoom(factor, px = this.width / 2, py = this.height / 2) {
    const [x, y] = this.toWorld(px, py);
    this.scale = Math.min(2e4, Math.max(4, this.scale * factor));
    const [nx, ny] = this.toWorld(px, py);
    this.x += x - nx;
    this.y += y - ny;
    this.changed();
  }

  pan(dx, dy) {
    this.x -= dx / this.scale;
    this.y += dy / this.scale;
    this.changed();
  }

  /** Show all of these points, with a margin. */
  fit(points) {
    if (!points.length) {
      Object.assign(this, { x: 0.5, y: 0.3, scale: Math.max(60, Math.min(this.width / 2.2, this.height / 1.5)) });
      return this.changed();
    }
    const xs = points.map((p) => p[0]), ys = points.map((p) => p[1]);
    const low = [Math.min(...xs), Math.min(...ys)], high = [Math.max(...xs), Math.max(...ys)];
    this.x = (low[0] + high[0]) / 2;
    this.y = (low[1] + high[1]) / 2;
    const wide = Math.max(high[0] - low[0], 0.1), tall = Math.max(high[1] - low[1], 0.1);
    this.scale = Math.min(2e4, Math.max(4, Math.min((this.width - 120) / wide, (this.height - 130) / tall)));
    this.changed();
  }
}
