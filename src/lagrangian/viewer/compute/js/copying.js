// Buttons that copy the values. The copied text is shown too, for pages that may not use the clipboard.

class Copying {
  constructor(reproduction) {
    this.reproduction = reproduction;
    this.text = node("pre", { class: "lgc-text", tabindex: "0", "aria-label": "Copied text" });
    this.text.hidden = true;
    this.message = node("span", { class: "lgc-told", role: "status" });
    this.buttons = node("div", { class: "lgc-copy" }, node("span", {}, "Copy as"));
    for (const [name, form] of [["TOML", "toml"], ["Command", "command"], ["Python", "python"]]) {
      const button = node("button", { type: "button", class: "lgc-button", "data-form": form }, name);
      button.addEventListener("click", () => this.copy(form));
      this.buttons.append(button);
    }
    this.buttons.append(this.message);
    this.root = node("div", {}, this.buttons, this.text);
    this.renew();
  }

  async copy(form) {
    const text = this.reproduction[form];
    this.form = form;
    this.text.textContent = text;
    this.text.hidden = false;
    this.message.textContent = (await copyToClipboard(text)) ? "Copied." : "Copy the text below.";
  }

  /** Update the text to new values. `none` is the reason why these have no motion, if they have none. */
  renew(none = "") {
    this.message.textContent = "";
    for (const button of this.buttons.querySelectorAll("button")) {
      const why = none || this.reproduction.why(button.dataset.form);
      button.disabled = Boolean(why);
      button.title = why;
    }
    if (!this.form) return;
    const why = none || this.reproduction.why(this.form);
    this.text.textContent = why ? "" : this.reproduction[this.form];
    this.text.hidden = Boolean(why);
  }
}

async function copyToClipboard(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = node("textarea", { class: "lgc-away", "aria-hidden": "true" });
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}
