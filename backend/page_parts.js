// What gradio's parts leave without a name or out of reach of the keyboard, in whatever state the page is.
if (!window.parleyParts) {
  window.parleyParts = true;
  const mend = () => {
    // What is read of a place for files is what stands in it, which gradio's own label leaves out.
    for (const upload of document.querySelectorAll("button.upload-container[aria-label]")) upload.removeAttribute("aria-label");
    // The head of a message that pops up is no button: there is one in it already, and nothing to unfold.
    for (const head of document.querySelectorAll(".toast-header[role=button]")) {
      head.removeAttribute("role");
      head.removeAttribute("tabindex");
    }
    // A name belongs on no plain element.
    for (const empty of document.querySelectorAll("div.empty[aria-label]:not([role])")) empty.setAttribute("role", "img");
    // The arrows move in a table once one of its cells has the focus.
    for (const table of document.querySelectorAll("[role=grid]:not(:has([role=gridcell][tabindex='0']))")) {
      table.querySelector("[role=gridcell]")?.setAttribute("tabindex", "0");
    }
  };
  new MutationObserver(mend).observe(document.documentElement, { childList: true, subtree: true });
  // A cell is chosen by Enter as by a click.
  document.addEventListener("keydown", (event) => {
    const cell = event.target instanceof Element && event.target.closest("[role=grid][aria-readonly=true] [role=gridcell]");
    if (cell && event.key === "Enter") cell.click();
  });
}
