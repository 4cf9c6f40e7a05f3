// Shaders. Light is added in linear colours, and the result is sRGB.

const HEAD = "#version 300 es\nprecision highp float;\n";

const SOLID_VERTEX = HEAD + `
layout(location = 0) in vec3 a_p;
layout(location = 1) in vec3 a_n;
uniform mat4 u_view, u_model;
uniform vec4 u_box;   // origin and scale of quantised vertices
uniform float u_grow;  // m along the normals, for outlines
uniform vec4 u_coil;  // length, radius, radius of the wire, turns; no coil without wire
out vec3 v_p, v_n;

void main() {
  vec3 p = a_p * u_box.w + u_box.xyz, n = a_n;
  if (u_coil.z > 0.0) {
    float s = a_p.x, angle = 6.2831853 * u_coil.w * s;
    float radius = u_coil.y * (u_coil.x > 0.0 ? smoothstep(0.05, 0.12, min(s, 1.0 - s)) : 1.0);
    vec3 out_ = vec3(cos(angle), sin(angle), 0.0);
    vec3 on = normalize(vec3(-sin(angle), cos(angle), 0.0) * radius * 6.2831853 * u_coil.w + vec3(0.0, 0.0, u_coil.x + 1e-9));
    n = a_p.y * out_ + a_p.z * cross(on, out_);
    p = radius * out_ + vec3(0.0, 0.0, s * u_coil.x) + u_coil.z * n;
  }
  mat3 m = mat3(u_model);
  v_n = m * (n / vec3(dot(m[0], m[0]), dot(m[1], m[1]), dot(m[2], m[2])));
  vec4 w = u_model * vec4(p, 1.0);
  if (u_grow > 0.0) w.xyz += u_grow * normalize(v_n);
  v_p = w.xyz;
  gl_Position = u_view * w;
}`;

const SOLID_FRAGMENT = HEAD + `
in vec3 v_p, v_n;
uniform vec3 u_eye, u_up, u_key, u_fill;
uniform vec4 u_color;
uniform float u_glow;  // of arrows, which are signs rather than things
out vec4 o;

void main() {
  vec3 n = normalize(v_n), to_eye = normalize(u_eye - v_p);
  if (dot(n, to_eye) < 0.0) n = -n;
  vec3 base = pow(u_color.rgb, vec3(2.2));
  vec3 sky = mix(vec3(0.30, 0.27, 0.25), vec3(0.56, 0.60, 0.66), 0.5 + 0.5 * dot(n, u_up));
  float key = max(dot(n, u_key), 0.0), fill = max(dot(n, u_fill), 0.0), head = max(dot(n, to_eye), 0.0);
  vec3 light = sky + key * vec3(0.78, 0.75, 0.70) + fill * vec3(0.16, 0.19, 0.24) + 0.10 * head;
  float shine = pow(max(dot(n, normalize(u_key + to_eye)), 0.0), 48.0);
  float rim = pow(1.0 - head, 4.0);
  vec3 c = base * mix(light, vec3(1.0), u_glow) + (1.0 - u_glow) * (0.16 * shine * step(0.0, key) + 0.05 * rim);
  c = c / (1.0 + max(c - 0.8, 0.0));  // bright colours fade instead of being cut
  o = vec4(pow(c, vec3(1.0 / 2.2)), u_color.a);
}`;

const SHADOW_FRAGMENT = HEAD + `
in vec3 v_p, v_n;
uniform vec3 u_up;
uniform float u_floor, u_size;
out vec4 o;

void main() {
  float height = dot(v_p, u_up) - u_floor;
  if (height < -0.002 * u_size) discard;
  o = vec4(1.0 / (1.0 + 1.2 * max(height, 0.0) / u_size), 0.0, 0.0, 1.0);
}`;

const SKY_VERTEX = HEAD + `
out vec2 v_xy;
void main() {
  v_xy = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
  gl_Position = vec4(v_xy, 1.0, 1.0);
}`;

const SKY_FRAGMENT = HEAD + `
in vec2 v_xy;
uniform vec3 u_top, u_bottom;
out vec4 o;
void main() {
  float noise = fract(sin(dot(gl_FragCoord.xy, vec2(12.9898, 78.233))) * 43758.5453) - 0.5;  // against bands
  o = vec4(mix(u_bottom, u_top, smoothstep(-1.0, 1.0, v_xy.y)) + noise / 255.0, 1.0);
}`;

const FLOOR_VERTEX = HEAD + `
uniform mat4 u_view;
uniform vec3 u_x, u_y, u_middle;
uniform float u_radius;
out vec2 v_at;   // on the floor, m from the world's origin
out vec2 v_off;  // from the middle, in radii
void main() {
  v_off = vec2(gl_VertexID % 2 == 0 ? -1.0 : 1.0, gl_VertexID < 2 ? -1.0 : 1.0);
  vec3 p = u_middle + u_radius * (v_off.x * u_x + v_off.y * u_y);
  v_at = vec2(dot(p, u_x), dot(p, u_y));
  gl_Position = u_view * vec4(p, 1.0);
}`;

const FLOOR_FRAGMENT = HEAD + `
in vec2 v_at, v_off;
uniform float u_step, u_reach, u_shade;  // grid, how far the shadow's picture reaches in radii, how dark it is
uniform vec3 u_line;
uniform vec4 u_tint;
uniform sampler2D u_shadow;
out vec4 o;

float lines(vec2 x, float width) {
  vec2 pixel = max(fwidth(x), 1e-6);
  vec2 away = abs(fract(x - 0.5) - 0.5) / pixel;
  vec2 line = clamp(width + 0.5 - away, 0.0, 1.0) * clamp(1.5 - 3.0 * pixel, 0.0, 1.0);
  return max(line.x, line.y);
}

void main() {
  float r = length(v_off), fade = 1.0 - smoothstep(0.25, 1.0, r);
  float grid = max(0.42 * lines(v_at / u_step, 0.4), 0.75 * lines(v_at / (5.0 * u_step), 0.5)) * fade;
  vec2 uv = 0.5 + 0.5 * v_off / u_reach;
  float shadow = 0.0;
  vec2 edge = min(uv, 1.0 - uv);
  if (u_shade > 0.0 && min(edge.x, edge.y) > 0.0) {
    for (int i = -1; i <= 1; i++)
      for (int j = -1; j <= 1; j++) shadow += textureLod(u_shadow, uv + vec2(i, j) * 0.0065, 2.5).r * exp2(-float(i * i + j * j));
    shadow *= u_shade * fade * smoothstep(0.0, 0.04, min(edge.x, edge.y)) / 4.0;
  }
  vec4 c = vec4(u_tint.rgb, u_tint.a * fade);
  float a = grid + c.a * (1.0 - grid);
  c = vec4((u_line * grid + c.rgb * c.a * (1.0 - grid)) / max(a, 1e-4), a);
  a = shadow + c.a * (1.0 - shadow);
  o = vec4(c.rgb * c.a * (1.0 - shadow) / max(a, 1e-4), a);
}`;

const PATH_VERTEX = HEAD + `
layout(location = 0) in vec3 a_p;
layout(location = 1) in vec3 a_q;
uniform mat4 u_view;
uniform vec2 u_pixels;
uniform float u_width;
out float v_row;
void main() {
  float end = gl_VertexID < 2 ? 0.0 : 1.0, side = gl_VertexID % 2 == 0 ? -1.0 : 1.0;
  vec4 a = u_view * vec4(a_p, 1.0), b = u_view * vec4(a_q, 1.0);
  vec2 way = (b.xy / b.w - a.xy / a.w) * u_pixels;
  way = length(way) > 1e-4 ? normalize(way) : vec2(1.0, 0.0);
  vec4 p = end < 0.5 ? a : b;
  vec2 off = (vec2(-way.y, way.x) * side + way * (end - 0.5) * 0.6) * u_width / u_pixels;
  gl_Position = vec4(p.xy + off * p.w, p.z, p.w);
  v_row = float(gl_InstanceID) + end;
}`;

const PATH_FRAGMENT = HEAD + `
in float v_row;
uniform vec3 u_color, u_back;
uniform float u_now;
out vec4 o;
void main() { o = vec4(v_row <= u_now ? u_color : mix(u_back, u_color, 0.38), 1.0); }`;
