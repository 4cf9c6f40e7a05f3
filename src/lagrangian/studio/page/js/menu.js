// A menu under a button: arrow keys walk, letters search, Escape closes.

import { element } from "/player.js";

/** `fill()` gives groups, `[{title, items: [{label, detail, run}]}]`, when the menu opens. */
export function menu(button, fill, { filter = false } = {}) {
  const sheet = element("div", { class: "menu", role: "menu", "aria-label": button.textContent.trim() });
  sheet.popover = "auto";
  document.body.append(sheet);
  const items = () => [...sheet.querySelectorAll('[role="menuitem"]:not([hidden])')];

  const shut = (back = true) => {
    sheet.hidePopover();
    if (back) button.focus();
  };
  sheet.addEventListener("toggle", (event) => button.setAttribute("aria-expanded", String(event.newState === "open")));

  const place = () => {
    const box = button.getBoundingClientRect();
    sheet.style.top = `${box.bottom + 4}px`;
    sheet.style.left = `${Math.max(8, Math.min(box.left, innerWidth - sheet.offsetWidth - 8))}px`;
  };

  const build = (groups) => {
    sheet.replaceChildren();
    if (filter) {
      const field = element("input", { type: "text", class: "filter", placeholder: "Search", "aria-label": "Search in the menu" });
      field.addEventListener("input", () => narrowTo(field.value.toLowerCase()));
      sheet.append(field);
    }
    for (const { title, items: given } of groups) {
      if (!given.length) continue;
      const group = element("div", { role: "group", "aria-label": title });
      group.append(element("h3", { "aria-hidden": "true" }, title));
      for (const { label, detail, run } of given) {
        const item = element("button", { type: "button", role: "menuitem", tabindex: -1 }, label);
        if (detail) item.append(element("small", {}, detail));
        item.addEventListener("click", () => {
          shut();
          run();
        });
        group.append(item);
      }
      sheet.append(group);
    }
  };
  const narrowTo = (word) => {
    for (const group of sheet.querySelectorAll('[role="group"]')) {
      let any = false;
      for (const item of group.querySelectorAll('[role="menuitem"]')) {
        item.hidden = !item.textContent.toLowerCase().includes(word);
        any = any || !item.hidden;
      }
      group.hidden = !any;
    }
  };

  button.addEventListener("click", async () => {
    if (sheet.matches(":popover-open")) return shut();
    build(await fill());
    sheet.showPopover();
    place();
    (sheet.querySelector(".filter") || items()[0])?.focus();
  });
  sheet.addEventListener("keydown", (event) => {
    const all = items(), at = all.indexOf(document.activeElement);
    const to = { ArrowDown: at + 1, ArrowUp: at < 0 ? all.length - 1 : at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (event.key === "Tab") return shut(false);
    if (event.key === "Enter" && at < 0 && all.length) return event.preventDefault(), all[0].click();
    if (to === undefined || !all.length || (at < 0 && /Home|End/.test(event.key))) return;
    event.preventDefault();
    all[(to + all.length) % all.length].focus();
  });
}
