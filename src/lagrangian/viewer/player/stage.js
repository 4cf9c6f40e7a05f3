// One WebGL context for all players of a page, of which browsers allow only a few: it draws one player after another, off
// screen, and each takes its picture.

class Stage {
  constructor() {
    this.canvas = document.createElement("canvas");
    const gl = this.canvas.getContext("webgl2", { antialias: true, alpha: false, powerPreference: "high-performance" });
    if (!gl) throw new Error("no WebGL 2");
    this.gl = gl;
    this.solid = this.program(SOLID_VERTEX, SOLID_FRAGMENT);
    this.shade = this.program(SOLID_VERTEX, SHADOW_FRAGMENT);
    this.sky = this.program(SKY_VERTEX, SKY_FRAGMENT);
    this.floor = this.program(FLOOR_VERTEX, FLOOR_FRAGMENT);
    this.path = this.program(PATH_VERTEX, PATH_FRAGMENT);
    this.shapes = { cylinder: cylinder(), cone: cone(), ball: ball(), tube: tube() };
    for (const name in this.shapes) this.shapes[name] = this.mesh(this.shapes[name]);
    this.empty = gl.createVertexArray();
    this.shadow = this.target(512);
  }

  program(vertex, fragment) {
    const gl = this.gl, program = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS) && !gl.isContextLost()) throw new Error(gl.getShaderInfoLog(shader));
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost()) throw new Error(gl.getProgramInfoLog(program));
    const at = {};
    for (let k = gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS) - 1; k >= 0; k--) {
      const { name } = gl.getActiveUniform(program, k);
      at[name] = gl.getUniformLocation(program, name);
    }
    return { program, at };
  }

  /** A mesh in the card's memory: vertices in 32 bits, or 16 and 8 bits that are fractions. */
  mesh({ v, d, f }) {
    const gl = this.gl, vao = gl.createVertexArray();
    gl.bindVertexArray(vao);
    const small = v instanceof Uint16Array, coarse = d instanceof Int8Array;
    const vertices = this.attribute(0, v, small ? gl.UNSIGNED_SHORT : gl.FLOAT, small);
    this.attribute(1, d, coarse ? gl.BYTE : gl.FLOAT, coarse);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, f, gl.STATIC_DRAW);
    gl.bindVertexArray(null);
    return { vao, vertices, wide: !small, count: f.length, kind: f instanceof Uint16Array ? gl.UNSIGNED_SHORT : gl.UNSIGNED_INT };
  }

  /** Replace the numbers of a buffer: vertices of a mesh, points of a line. */
  refill(buffer, values) {
    const gl = this.gl;
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, values, gl.DYNAMIC_DRAW);
  }

  attribute(at, values, kind, fraction) {
    const gl = this.gl, buffer = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, values, gl.STATIC_DRAW);
    gl.enableVertexAttribArray(at);
    gl.vertexAttribPointer(at, 3, kind, fraction, 0, 0);
    return buffer;
  }

  /** A line through points, each segment an instance from one point to the next. */
  line(points) {
    const gl = this.gl, vao = gl.createVertexArray(), buffer = gl.createBuffer();
    gl.bindVertexArray(vao);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferData(gl.ARRAY_BUFFER, points, gl.STATIC_DRAW);
    for (const at of [0, 1]) {
      gl.enableVertexAttribArray(at);
      gl.vertexAttribPointer(at, 3, gl.FLOAT, false, 12, 12 * at);
      gl.vertexAttribDivisor(at, 1);
    }
    gl.bindVertexArray(null);
    return { vao, buffer, count: points.length / 3 - 1 };
  }

  target(size) {
    const gl = this.gl, texture = gl.createTexture(), frame = gl.createFramebuffer();
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texStorage2D(gl.TEXTURE_2D, 5, gl.R8, size, size);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR_MIPMAP_LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
    gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, texture, 0);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    return { texture, frame, size };
  }

  /** Make room for a picture: the canvas grows and does not shrink, as players of different size take turns. */
  room(width, height) {
    const canvas = this.canvas;
    if (canvas.width < width) canvas.width = width;
    if (canvas.height < height) canvas.height = height;
  }

  use({ program, at }, values) {
    this.gl.useProgram(program);
    this.at = at;
    this.set(values);
  }

  set(values) {
    const gl = this.gl;
    for (const name in values) {
      const at = this.at[name], x = values[name];
      if (at === undefined) continue;
      if (typeof x === "number") gl.uniform1f(at, x);
      else if (x.length === 2) gl.uniform2fv(at, x);
      else if (x.length === 3) gl.uniform3fv(at, x);
      else if (x.length === 4) gl.uniform4fv(at, x);
      else gl.uniformMatrix4fv(at, false, x);
    }
  }

  draw(item) {
    const gl = this.gl;
    this.set({ u_model: item.model, u_box: item.box || [0, 0, 0, 1], u_coil: item.coil || [0, 0, 0, 0], u_color: item.color, u_glow: item.glow || 0 });
    gl.bindVertexArray(item.mesh.vao);
    gl.drawElements(gl.TRIANGLES, item.mesh.count, item.mesh.kind, 0);
  }
}

let theStage = null;

/** The stage of the page: a new one if the browser took the last away, none without WebGL. */
function stage() {
  if (theStage && !theStage.gl.isContextLost()) return theStage;
  try {
    theStage = new Stage();
  } catch (error) {
    theStage = null;
  }
  return theStage;
}
