// What is typed into the forms outlives a reload of this browser tab, also the one that gradio makes of itself when the server was
// started again under a run. Keys are never kept. An address that names a run opens the list of runs: see run_addresses.py.
const openRuns = () => {
  const tabs = [...document.querySelectorAll("#faithfulness-tab [role=tab]")];
  const runs = tabs.find((tab) => tab.textContent.trim() === "A whole data set");
  if (runs) runs.click();
  else requestAnimationFrame(openRuns);
};
if (new URL(location.href).searchParams.has("run")) openRuns();

if (!window.parleyTyped) {
  const PLACE = "parley-faithfulness-typed";
  const FIELDS = "#faithfulness-tab :is(textarea, input[type=text])";
  const read = () => {
    try {
      return JSON.parse(sessionStorage.getItem(PLACE)) ?? {};
    } catch {
      return {};
    }
  };
  const write = (typed) => sessionStorage.setItem(PLACE, JSON.stringify(typed));
  const form = (field) => field.closest("#faithfulness-sample, #faithfulness-runs")?.id;
  const label = (field) => field.closest("label")?.querySelector("[data-testid=block-info]")?.textContent.trim();
  const name = (field) => form(field) && label(field) && `${form(field)}: ${label(field)}`;
  document.addEventListener("input", (event) => {
    const field = event.target;
    if (event.isTrusted && field.matches(FIELDS) && name(field)) write({ ...read(), [name(field)]: field.value });
  });
  // Another example fills the form of one sample, so what was typed there before is gone.
  document.addEventListener("mousedown", (event) => {
    if (!event.target.closest?.("[role=option]") || !document.activeElement?.closest("#faithfulness-sample")) return;
    write(Object.fromEntries(Object.entries(read()).filter(([key]) => !key.startsWith("faithfulness-sample:"))));
  }, { capture: true });
  let touched = false; // until somebody does something, gradio may still be filling the page
  for (const type of ["pointerdown", "keydown"]) document.addEventListener(type, () => (touched = true), { capture: true });
  const bringBack = (field) => {
    const typed = read()[name(field)];
    if (touched || typed === undefined || typed === field.value) return;
    field.value = typed;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  };
  const lookForFields = () => {
    for (const field of document.querySelectorAll(`${FIELDS}:not([data-seen])`)) {
      field.dataset.seen = "";
      for (const wait of [300, 1000, 3000]) setTimeout(bringBack, wait, field);
    }
  };
  window.parleyTyped = true;
  new MutationObserver(lookForFields).observe(document.body, { childList: true, subtree: true });
}
