// A message stands beside the control that caused it, not in a corner of the window; without such a control it stays there.
// Gradio can show what a handler raises or tells only in that corner, whatever was pressed. So each of its messages is moved.
if (!window.parleyMessages) {
  window.parleyMessages = true;
  const CONTROLS = "button, input, textarea, select, summary, a, label, [role=tab], [role=gridcell], [contenteditable]";
  // Of the page as a whole, whatever was used last.
  const OF_THE_PAGE = /^(Connection (to the server was lost|errored out)|Lost connection)/;
  let used = null;

  const clear = () => {
    document.getElementById("parley-message")?.remove();
    for (const field of document.querySelectorAll("[aria-describedby=parley-message]")) {
      field.removeAttribute("aria-describedby");
      field.removeAttribute("aria-invalid");
    }
  };
  const remember = (event) => {
    const control = event.isTrusted && event.target instanceof Element && event.target.closest(CONTROLS);
    if (!control || control.closest(".toast-wrap, #parley-message")) return; // also scripts press hidden buttons
    used = control;
    if (event.type !== "change") clear();
  };
  for (const kind of ["click", "input", "change"]) document.addEventListener(kind, remember, true);
  document.addEventListener("keydown", (event) => event.key === "Enter" && remember(event), true);

  // A button stands in a row with others or alone, a field in a block with its label.
  const beside = (control) => {
    const button = control.closest("button");
    if (button?.parentElement.matches(".row, [role=tablist], p, li")) return button.parentElement;
    return control.closest(".block") ?? button ?? control;
  };
  const moved = (item) => {
    const text = item.querySelector("[data-testid=toast-text]")?.textContent.trim();
    if (!text || OF_THE_PAGE.test(text)) return false;
    const seen = used?.isConnected && used.checkVisibility();
    // Before anything was used, it is about the address: that is said under the parts of the page.
    const place = seen ? beside(used) : !used && document.querySelector("#parts > .tab-wrapper");
    if (!place) return false;
    clear();
    const refused = item.matches(".error, .warning");
    const message = Object.assign(document.createElement("p"), { id: "parley-message", textContent: text });
    message.setAttribute("role", refused ? "alert" : "status");
    place.after(message);
    if (refused && used?.matches("input:not([type=file]), textarea")) {
      used.setAttribute("aria-describedby", message.id);
      used.setAttribute("aria-invalid", "true");
    }
    message.scrollIntoView({ block: "nearest" });
    return true;
  };
  new MutationObserver(() => {
    for (const item of document.querySelectorAll(".toast-wrap .toast-message-item:not([data-seen])")) {
      item.dataset.seen = "";
      if (moved(item)) item.hidden = true;
    }
    for (const toast of document.querySelectorAll(".toast-wrap .toast-body")) {
      if (toast.hidden || toast.querySelector(".toast-message-item:not([hidden])")) continue;
      toast.hidden = true;
      toast.querySelector("[data-testid=toast-close]")?.click();
    }
  }).observe(document.documentElement, { childList: true, subtree: true });
}
