// Fields and sliders beside the chat: what is moved is shown at once, and handed on to the server when it rests a little.
if (!window.ttmInstruments) {
  window.ttmInstruments = true;
  const REST = 120; // milliseconds
  const SAME_TAP = 700;
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

  // --- points that are rows: clicked, or framed with the mouse, and then asked about -------------------------------------
  const chosen = new Map(); // id -> its values, across and up
  let figure = null; // the one in which points are chosen
  const hasFineMouse = window.matchMedia("(pointer: fine)").matches;
  const pointId = (point) => String(point.customdata[0]);
  const SEVERAL = { show: "Show them", predict: "Predictions", accuracy: "How accurate?", important: "What matters?" };
  const ONE = { predict: "Prediction", why: "Why?", whatif: "What if" };

  const paint = (frame) => {
    const marks = (trace) => {
      const found = (trace.customdata ?? []).flatMap((data, index) => (chosen.has(String(data[0])) ? [index] : []));
      return chosen.size ? found : null;
    };
    const drawn = frame.data.map((trace, index) => [trace, index]).filter(([trace]) => trace.mode === "markers");
    window.Plotly?.restyle(frame, { selectedpoints: drawn.map(([trace]) => marks(trace)) }, drawn.map(([, index]) => index));
  };
  // What was chosen stands over the question line, where that is at the bottom of the window.
  const footHeight = () => {
    const foot = (window.ttmHere?.() ?? document).querySelector(".ttm-foot")?.getBoundingClientRect();
    return foot && Math.abs(foot.bottom - window.innerHeight) < 2 ? foot.height : 0;
  };
  const fill = (words, buttons) => {
    let place = document.getElementById("ttm-chosen");
    if (!place) {
      place = document.createElement("div");
      place.id = "ttm-chosen";
      place.setAttribute("role", "region");
      place.setAttribute("aria-label", "Chosen rows");
      (figure.closest(".gradio-container") ?? document.body).append(place);
    }
    const text = document.createElement("span");
    text.setAttribute("role", "status");
    text.textContent = words;
    place.replaceChildren(text, ...buttons, choice("Clear", clear));
    place.style.bottom = `${footHeight() + 12}px`;
  };
  const bar = () => {
    if (!chosen.size) return document.getElementById("ttm-chosen")?.remove();
    const ids = [...chosen.keys()];
    const named = ids.length > 6 ? `${ids.length} rows` : ids.length > 1 ? `${ids.length} rows: ${ids.join(", ")}` : `Row ${ids[0]}`;
    fill(named, Object.entries(ids.length > 1 ? SEVERAL : ONE).map(([asks, label]) => choice(label, () => askRows(asks))));
  };
  const choice = (label, act) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = label;
    button.addEventListener("click", act);
    return button;
  };
  const clear = () => {
    chosen.clear();
    if (figure?.isConnected && figure.layout?.meta?.rows) {
      paint(figure);
      window.Plotly?.relayout(figure, { selections: [] });
    }
    bar();
  };
  const between = (column, values) => {
    const sorted = [...values].sort((one, other) => (typeof one === "number" ? one - other : String(one).localeCompare(other)));
    return { column, low: sorted[0], high: sorted.at(-1) };
  };
  const askRows = (asks) => {
    const ids = [...chosen.keys()];
    const columns = figure.layout.meta.rows;
    if (asks === "whatif") window.ttmAct("whatifrow", ids[0]);
    else {
      const frames = columns.map((column, axis) => between(column, [...chosen.values()].map((values) => values[axis])));
      window.ttmAct("askrows", JSON.stringify({ ids, frames, asks }));
    }
    clear();
  };
  const within = (frame) => {
    if (figure !== frame) clear();
    figure = frame;
  };
  const choosable = (frame) => {
    frame.dataset.choosable = "yes";
    let last = { id: "", time: 0 }; // a finger clicks twice: by itself, and by the mouse that the browser makes of it
    frame.on("plotly_click", ({ points, event }) => {
      const point = points.find((one) => one.customdata);
      if (!point) return;
      const again = last.id === pointId(point) && event.timeStamp - last.time < SAME_TAP;
      last = { id: pointId(point), time: event.timeStamp };
      if (again) return;
      within(frame);
      if (!chosen.delete(pointId(point))) chosen.set(pointId(point), [point.x, point.y]);
      paint(frame);
      bar();
    });
    frame.on("plotly_selected", (selection) => {
      if (!selection?.points?.length) return;
      within(frame);
      chosen.clear();
      for (const point of selection.points) if (point.customdata) chosen.set(pointId(point), [point.x, point.y]);
      paint(frame);
      bar();
    });
    if (!frame.hasAttribute("role")) {
      frame.setAttribute("role", "img");
      frame.setAttribute("aria-label", "Rows as points; the table beside it has the same rows.");
    }
    // A finger that draws over a figure scrolls the page.
    if (!hasFineMouse) window.Plotly?.relayout(frame, { dragmode: false });
  };
  // --- bars and cells: clicked, and then asked about ----------------------------------------------------------------------
  const OF_FEATURE = { effect: "What does it do?", distribution: "Its values", define: "What is it?" };
  const wordsOf = (point, frame) => {
    const cell = point.data.type === "heatmap" && `truly ${point.y}, predicted ${point.x}`;
    const along = typeof point.customdata === "string" ? point.customdata : point.data.orientation === "h" ? point.y : point.x;
    const series = frame.layout.meta.asks === "rows" && frame.data.length > 1 ? point.data.name : "";
    const text = (cell || [along, series].filter((part) => part !== "").join(", ")).replaceAll("<br>", " ");
    return new DOMParser().parseFromString(text, "text/html").body.textContent;
  };
  const markOf = (point, frame) => {
    const [row, column] = [point.pointNumber].flat();
    const index = column === undefined ? row : row * point.data.x.length + column;
    return frame.layout.meta.marks[point.curveNumber]?.[index];
  };
  const askable = (frame) => {
    frame.dataset.askable = "yes";
    frame.on("plotly_click", ({ points: [point] }) => {
      const mark = markOf(point, frame);
      if (!mark) return;
      clear();
      figure = frame;
      const turn = Number(frame.closest(".message-row")?.querySelector("[data-ttm=pin]")?.dataset.value ?? 0);
      const labels = frame.layout.meta.asks === "rows" ? SEVERAL : OF_FEATURE;
      const ask = (asks) => {
        window.ttmAct("askmark", JSON.stringify({ turn, mark, asks, group: frame.layout.meta.groups?.[point.curveNumber] }));
        clear();
      };
      fill(wordsOf(point, frame), Object.entries(labels).map(([asks, label]) => choice(label, () => ask(asks))));
    });
  };
  window.ttmChoosable = () => {
    for (const frame of document.querySelectorAll("#ttm-chat .js-plotly-plot")) {
      if (frame.layout?.meta?.asks && !frame.dataset.askable) askable(frame);
    }
    for (const frame of document.querySelectorAll(".ttm-root .js-plotly-plot")) {
      if (frame.layout?.meta?.rows && !frame.dataset.choosable) choosable(frame);
    }
    if (figure && !figure.isConnected) {
      figure = null;
      chosen.clear();
      bar();
    }
  };

  document.addEventListener("input", (event) => {
    if (event.target.closest?.(".ttm-field")) move(event.target);
    else if (event.target.closest?.(".ttm-threshold")) slide(event.target);
  });
  document.addEventListener("click", (event) => event.target.closest?.("[data-case-reset]") && putBack());
  document.addEventListener("submit", (event) => event.target.closest?.(".ttm-case") && event.preventDefault(), { capture: true });
}
