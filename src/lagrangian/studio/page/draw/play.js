// Playback of a motion: rows of pin positions over time, repeated from the beginning, to and fro, or round and round.

/** Positions of pins over time. `again` says how the motion goes on at its end: "round", "to and fro" or "again". */
export class Track {
  constructor(t, names, rows, again, start = 0) {
    Object.assign(this, { t, names, rows, again, start });
  }

  /** The track of the motion that the angles of the motors give. */
  static turned(motion) {
    return new Track(motion.t, motion.names, motion.rows, motion.whole ? "round" : "to and fro", motion.start);
  }

  /** The track of the motion that the server computed with forces. */
  static moved(motion, round) {
    const names = Object.keys(motion.pins);
    const rows = motion.t.map((_, k) => Float64Array.from(names.flatMap((name) => [motion.pins[name].x[k], motion.pins[name].y[k]])));
    return new Track(motion.t, names, rows, round ? "round" : "again");
  }

  get duration() { return this.t.at(-1) - this.t[0]; }

  /** The time of the track after so many seconds of playback. */
  wrapped(time) {
    const { duration } = this;
    if (!(duration > 0)) return 0;
    if (this.again === "to and fro") {
      const both = ((time % (2 * duration)) + 2 * duration) % (2 * duration);
      return both < duration ? both : 2 * duration - both;
    }
    return ((time % duration) + duration) % duration;
  }

  row(time) { return Math.min(this.t.length - 1, Math.max(0, time / (this.t[1] - this.t[0]))); }

  /** The positions of pins at a time, by name. */
  places(time) {
    const at = this.row(time), k = Math.min(this.rows.length - 2, Math.floor(at)), share = at - k, a = this.rows[k], b = this.rows[k + 1];
    return new Map(this.names.map((name, i) => [name, [a[2 * i] + share * (b[2 * i] - a[2 * i]), a[2 * i + 1] + share * (b[2 * i + 1] - a[2 * i + 1])]]));
  }

  paths(names) {
    return Object.fromEntries(names.filter((name) => this.names.includes(name)).map((name) => {
      const i = this.names.indexOf(name);
      return [name, this.rows.map((row) => [row[2 * i], row[2 * i + 1]])];
    }));
  }
}

export class Player {
  constructor(shown) {
    this.shown = shown; // is called whenever the picture has to change
    this.track = null;
    this.clock = 0; // seconds played
    this.playing = false;
    this.speed = 1;
    this.moved = false; // whether the pose on the screen differs from the drawn one
  }

  get time() { return this.track ? this.track.wrapped(this.clock) : 0; }

  /** Replace the track; playback goes on. */
  use(track, keep = false) {
    this.track = track;
    if (!track) this.playing = false;
    if (!keep) this.reset();
    this.shown();
  }

  reset() {
    this.clock = this.track ? this.track.t[this.track.start] ?? 0 : 0;
    this.moved = false;
  }

  rewind() {
    this.playing = false;
    this.reset();
    this.shown();
  }

  seek(time) {
    this.playing = false;
    this.clock = time;
    this.moved = true;
    this.shown();
  }

  toggle() {
    if (!this.track) return;
    this.playing = !this.playing;
    if (this.playing) {
      this.moved = true;
      this.last = performance.now();
      requestAnimationFrame(this.#tick);
    }
    this.shown();
  }

  #tick = (now) => {
    if (!this.playing) return;
    this.clock += Math.min(0.1, (now - this.last) / 1000) * this.speed;
    this.last = now;
    this.shown();
    requestAnimationFrame(this.#tick);
  };
}
