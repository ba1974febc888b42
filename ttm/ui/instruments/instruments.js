// Fields and sliders beside the chat: what is moved is shown at once, and handed on to the server when it rests a little.
if (!window.ttmInstruments) {
  window.ttmInstruments = true;
  const REST = 120; // milliseconds
  const form = () => (window.ttmHere?.() ?? document).querySelector(".ttm-case");

  // --- one case: a number field and its slider hold the same value -------------------------------------------------------
  const own = (field) => field.querySelector("label :is(input, select)");
  const mark = (field) => {
    const isMoved = own(field).value !== "" && own(field).value !== field.dataset.original;
    field.toggleAttribute("data-moved", isMoved);
    field.querySelector(".ttm-was").hidden = !isMoved;
  };
  const fields = () => [...(form()?.querySelectorAll(".ttm-field") ?? [])];
  window.ttmCase = () => JSON.stringify(Object.fromEntries(fields().map((field) => [field.dataset.token, own(field).value])));

  let resting = 0;
  const renew = () => {
    clearTimeout(resting);
    resting = setTimeout(() => window.ttmAct("case", ""), REST);
  };
  const move = (input) => {
    const field = input.closest(".ttm-field");
    const slider = field.querySelector("input[type=range]");
    if (input === slider) own(field).value = slider.value;
    else if (slider && input.value !== "") slider.value = input.value;
    mark(field);
    renew();
  };
  const putBack = () => {
    for (const field of fields()) {
      own(field).value = field.dataset.original;
      const slider = field.querySelector("input[type=range]");
      if (slider) slider.value = field.dataset.original || slider.min;
      mark(field);
    }
    renew();
  };

  // --- a threshold: every position is in the page ------------------------------------------------------------------------
  const slide = (slider) => {
    const frame = slider.closest(".ttm-threshold");
    const [value, cells, scores] = JSON.parse(frame.dataset.scale)[Number(slider.value)];
    slider.setAttribute("aria-valuetext", value);
    for (const output of frame.querySelectorAll("output")) output.textContent = value;
    const [matrix, table] = frame.querySelectorAll("table");
    matrix.querySelectorAll("[data-cell]").forEach((cell, index) => {
      cell.textContent = cells[index][0];
      cell.style.setProperty("--share", cells[index][1]);
    });
    table.querySelectorAll("[data-cell]").forEach((cell, index) => (cell.textContent = scores[index]));
    const ask = frame.querySelector("[data-ttm=askthreshold]");
    ask.dataset.value = `${ask.dataset.value.split(" ")[0]} ${value}`;
  };

  document.addEventListener("input", (event) => {
    if (event.target.closest?.(".ttm-field")) move(event.target);
    else if (event.target.closest?.(".ttm-threshold")) slide(event.target);
  });
  document.addEventListener("click", (event) => event.target.closest?.("[data-case-reset]") && putBack());
  document.addEventListener("submit", (event) => event.target.closest?.(".ttm-case") && event.preventDefault(), { capture: true });
}
