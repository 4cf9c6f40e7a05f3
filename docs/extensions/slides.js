"use strict";
const WIDTH = 1280, HEIGHT = 720, LARGEST = 28, SMALLEST = 15;
const main = document.querySelector("main");
const sections = [...document.querySelectorAll("section")];
const bar = document.querySelector(".progress div");
const count = document.querySelector("nav output");
const narrow = matchMedia("(max-width: 700px)");
let now = 0;

const fragments = (section) => [...section.querySelectorAll(".fragment")];

// the largest letters with which all of a slide is seen
function fit(section) {
  if (section.classList.contains("title") || section.dataset.fit) return;
  const shown = section.classList.contains("shown");
  section.classList.add("shown");
  for (let size = LARGEST; size >= SMALLEST; size -= 0.5) {
    section.style.setProperty("--fit", `${size}px`);
    const wide = [...section.querySelectorAll(".equation, .code")].some((it) => it.scrollWidth > it.clientWidth + 1);
    if (section.scrollHeight <= section.clientHeight && !wide) break;
  }
  section.dataset.fit = "1";
  section.classList.toggle("shown", shown);
}

function scale() {
  if (narrow.matches) { main.style.transform = ""; return; }
  const factor = Math.min(innerWidth / WIDTH, innerHeight / HEIGHT);
  main.style.transform = `scale(${factor}) translate(-50%, -50%)`;
}

// animations start when their slide is shown, and end when it is left
function play(section, on) {
  for (const frame of section.querySelectorAll("iframe[data-page]")) {
    if (on) frame.srcdoc = frame.dataset.page; else frame.removeAttribute("srcdoc");
  }
}

function show(number, all = false) {
  const next = Math.max(0, Math.min(sections.length - 1, number));
  if (sections[now] !== sections[next]) play(sections[now], false);
  now = next;
  sections.forEach((section, i) => section.classList.toggle("shown", i === now));
  if (!narrow.matches) fit(sections[now]);
  for (const it of fragments(sections[now])) it.classList.toggle("seen", all || narrow.matches);
  play(sections[now], true);
  bar.style.width = `${100 * (now + 1) / sections.length}%`;
  count.textContent = `${now + 1} / ${sections.length}`;
  history.replaceState(null, "", `#${now + 1}`);
  if (narrow.matches) scrollTo(0, 0);
}

function go(step) {
  const parts = fragments(sections[now]);
  if (step > 0) {
    const hidden = parts.find((it) => !it.classList.contains("seen"));
    if (hidden) hidden.classList.add("seen");
    else if (now < sections.length - 1) show(now + 1);
  } else {
    const seen = parts.filter((it) => it.classList.contains("seen"));
    if (seen.length && !narrow.matches) seen.pop().classList.remove("seen");
    else if (now > 0) show(now - 1, true);
  }
}

function look() {
  const dark = document.documentElement.classList.toggle("dark");
  try { localStorage.setItem("slides-dark", dark ? "1" : "0"); } catch { /* a page from a file may have no storage */ }
}

const KEYS = {
  ArrowRight: () => go(1), ArrowDown: () => go(1), PageDown: () => go(1), " ": () => go(1), Enter: () => go(1),
  ArrowLeft: () => go(-1), ArrowUp: () => go(-1), PageUp: () => go(-1), Backspace: () => go(-1),
  Home: () => show(0), End: () => show(sections.length - 1), d: look,
  f: () => (document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen()),
};
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("button") && event.key !== "d") return;
  if (narrow.matches && (event.key === "ArrowDown" || event.key === "ArrowUp")) return;
  const act = event.key === " " && event.shiftKey ? () => go(-1) : KEYS[event.key];
  if (act) { event.preventDefault(); act(); }
});
document.querySelector("nav").addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  if (button.dataset.do) look(); else go(Number(button.dataset.go));
  button.blur();
});
let touched = null;
addEventListener("touchstart", (event) => {
  const scrolls = event.target.closest(".equation, .code, pre");
  touched = scrolls && scrolls.scrollWidth > scrolls.clientWidth ? null : event.changedTouches[0];
}, { passive: true });
addEventListener("touchend", (event) => {
  if (!touched) return;
  const end = event.changedTouches[0], dx = end.clientX - touched.clientX, dy = end.clientY - touched.clientY;
  touched = null;
  if (Math.abs(dx) > 50 && Math.abs(dx) > 2 * Math.abs(dy)) go(dx < 0 ? 1 : -1);
}, { passive: true });
addEventListener("resize", () => { scale(); if (!narrow.matches) fit(sections[now]); });
addEventListener("hashchange", () => { const n = Number(location.hash.slice(1)) - 1; if (n >= 0 && n !== now) show(n); });
addEventListener("beforeprint", () => sections.forEach(fit));

let stored = null;
try { stored = localStorage.getItem("slides-dark"); } catch { /* as above */ }
if (stored === "1" || stored === null && matchMedia("(prefers-color-scheme: dark)").matches) document.documentElement.classList.add("dark");
scale();
if (!narrow.matches) sections.forEach(fit);
show(Math.max(0, Number(location.hash.slice(1)) - 1 || 0));
