// Buttons that copy the values. What was copied is shown too, so that it can be copied by hand where a page may not.

class Copying {
  constructor(writing) {
    this.writing = writing;
    this.text = node("pre", { class: "lgc-text", tabindex: "0", "aria-label": "Copied text" });
    this.text.hidden = true;
    this.told = node("span", { class: "lgc-told", role: "status" });
    this.buttons = node("div", { class: "lgc-copy" }, node("span", {}, "Copy as"));
    for (const [name, form] of [["TOML", "toml"], ["Command", "command"], ["Python", "python"]]) {
      const button = node("button", { type: "button", class: "lgc-button", "data-form": form }, name);
      button.addEventListener("click", () => this.copy(form));
      this.buttons.append(button);
    }
    this.buttons.append(this.told);
    this.root = node("div", {}, this.buttons, this.text);
    this.renew();
  }

  async copy(form) {
    const text = this.writing[form];
    this.form = form;
    this.text.textContent = text;
    this.text.hidden = false;
    this.told.textContent = (await copied(text)) ? "Copied." : "Copy the text below.";
  }

  /** The values are others: the text follows, and has to be copied again. There may be no motion of these, for a reason. */
  renew(none = "") {
    this.told.textContent = "";
    for (const button of this.buttons.querySelectorAll("button")) {
      const why = none || this.writing.why(button.dataset.form);
      button.disabled = Boolean(why);
      button.title = why;
    }
    if (!this.form) return;
    const why = none || this.writing.why(this.form);
    this.text.textContent = why ? "" : this.writing[this.form];
    this.text.hidden = Boolean(why);
  }
}

async function copied(text) {
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
