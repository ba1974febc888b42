// The fields of a task: what stands in them, which of them are there, words that are marked, help while typing.

const WORDS = /[\p{L}\p{N}]+/gu;

function fieldsOf(form) {
  return [...form.querySelectorAll("[data-field]")];
}

function valueOf(field) {
  const kind = field.dataset.kind;
  if (kind === "write") return field.value;
  if (kind === "mark") return spansOf(field);
  if (kind === "several") return [...field.querySelectorAll("input:checked")].map((input) => input.value);
  if (kind === "slider") return sliderOf(field);
  if (kind === "rank") return orderOf(field);
  const chosen = field.querySelector("input:checked")?.value ?? "";
  return kind === "rate" && chosen !== "" ? Number(chosen) : chosen;
}

// A slider that nobody has moved has no value yet.
function sliderOf(field) {
  const range = field.querySelector("input");
  return "set" in range.dataset ? Number(range.value) : "";
}

// All options in their order, or "" while two share a position or one has none.
function orderOf(field) {
  const order = [];
  for (const select of field.querySelectorAll("select")) if (select.value) order[Number(select.value) - 1] = select.dataset.option;
  const whole = order.filter((option) => option !== undefined);
  return whole.length === field.querySelectorAll("select").length ? whole : "";
}

function setUpSlider(field) {
  const range = field.querySelector("input");
  for (const name of ["pointerdown", "keydown", "input"])
    range.addEventListener(name, () => {
      range.dataset.set = "";
      field.querySelector("output").textContent = range.value;
    });
}

function setValue(field, value) {
  const kind = field.dataset.kind;
  if (kind === "write") field.value = value ?? "";
  else if (kind === "mark") {
    const marked = new Set((value || []).flatMap(([first, behind]) => Array.from({length: behind - first}, (_, n) => first + n)));
    for (const word of field.children) word.setAttribute("aria-checked", String(marked.has(Number(word.dataset.word))));
  } else if (kind === "several") {
    for (const input of field.querySelectorAll("input")) input.checked = (value || []).includes(input.value);
  } else if (kind === "slider") {
    const range = field.querySelector("input");
    if (value === "" || value === null) delete range.dataset.set;
    else [range.value, range.dataset.set] = [value, ""];
    field.querySelector("output").textContent = value === "" || value === null ? "–" : value;
  } else if (kind === "rank") {
    for (const select of field.querySelectorAll("select")) select.value = String((value || []).indexOf(select.dataset.option) + 1 || "");
  } else for (const input of field.querySelectorAll("input")) input.checked = input.value === String(value);
}

function isEmpty(value) {
  return Array.isArray(value) ? value.length === 0 : String(value).trim() === "";
}

// A part may depend on the value of an earlier one, which may itself not be there.
function showWhatApplies(form) {
  const values = {};
  for (const part of form.querySelectorAll(".study-part")) {
    const field = part.querySelector("[data-field]");
    const when = part.dataset.when ? JSON.parse(part.dataset.when) : null;
    const there = !when || values[when[0]] === when[1];
    (part.closest(".study-turn") ?? part).hidden = !there;
    part.hidden = !there;
    if (there) values[field.dataset.field] = valueOf(field);
  }
  return values;
}

function answerOf(form) {
  const values = showWhatApplies(form);
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ""));
}

function missingFields(form) {
  return fieldsOf(form).filter((field) => !field.closest("[hidden]") && "required" in field.dataset && isEmpty(valueOf(field)));
}

function focusField(field) {
  const target = field.dataset.kind === "write" ? field : field.querySelector("input:checked, input, select, [tabindex='0']");
  field.closest(".study-part")?.scrollIntoView({block: "center"});
  target?.focus({preventScroll: true});
}

function countWords(field) {
  const note = field.closest(".study-part").querySelector("[data-count]");
  if (!field.dataset.source || !note) return;
  const source = JSON.parse(field.dataset.source);
  const typed = field.value.toLowerCase().match(WORDS) ?? [];
  if (!source || !typed.length) return void (note.textContent = "");
  const known = new Set(source.toLowerCase().match(WORDS) ?? []);
  const fresh = typed.filter((word) => !known.has(word)).length;
  note.textContent = typed.length === 1 ? translate("1 word, {fresh} new", {fresh}) : translate("{count} words, {fresh} new", {count: typed.length, fresh});
}

// The server calls a part by its name; people know it by what it asks.
function inWords(form, message, here = "") {
  return fieldsOf(form).reduce((told, field) => {
    const asks = field.closest(".study-part").querySelector(".study-ask .study-typed")?.textContent;
    return told.replace(`“${field.dataset.field}”`, here || (asks ? `“${asks}”` : translate("The marked text")));
  }, message);
}

function showWarnings(form, field, warnings) {
  const list = field.closest(".study-part")?.querySelector("[data-warnings]");
  list?.replaceChildren(...warnings.map((each) => {
    const line = document.createElement("li");
    line.textContent = inWords(form, each.message, translate("This"));
    return line;
  }));
}

function growBox(field) {
  field.style.height = "auto";
  field.style.height = `${field.scrollHeight + 2}px`;
}

// --- marking -------------------------------------------------------------------------------------------------------------

function spansOf(passage) {
  const spans = [];
  for (const word of passage.children) {
    if (word.getAttribute("aria-checked") !== "true") continue;
    const number = Number(word.dataset.word);
    const last = spans.at(-1);
    if (last && last[1] === number) last[1] = number + 1;
    else spans.push([number, number + 1]);
  }
  return spans;
}

function setUpPassage(passage) {
  let to = null;
  const mark = (word, on) => {
    if (word.getAttribute("aria-checked") === String(on)) return;
    word.setAttribute("aria-checked", String(on));
    passage.dispatchEvent(new Event("input", {bubbles: true}));
  };
  const visit = (word) => {
    if (!word) return;
    passage.querySelector("[tabindex='0']")?.setAttribute("tabindex", "-1");
    word.setAttribute("tabindex", "0");
    word.focus();
  };
  const wordAt = (event) => event.target.closest?.(".study-word");
  passage.addEventListener("pointerdown", (event) => {
    const word = wordAt(event);
    if (!word || event.button !== 0) return;
    to = word.getAttribute("aria-checked") !== "true";
    event.preventDefault();
    visit(word);
    mark(word, to);
  });
  passage.addEventListener("pointerover", (event) => {
    if (to !== null && event.buttons && wordAt(event)) mark(wordAt(event), to);
  });
  window.addEventListener("pointerup", () => (to = null));
  passage.addEventListener("keydown", (event) => {
    const word = wordAt(event);
    if (!word || event.ctrlKey || event.altKey || event.metaKey) return;
    const turned = getComputedStyle(passage).direction === "rtl" ? -1 : 1;
    const step = {ArrowRight: turned, ArrowLeft: -turned, ArrowDown: 8, ArrowUp: -8}[event.key];
    if (event.key === " " || (event.key === "Enter" && !event.ctrlKey)) mark(word, word.getAttribute("aria-checked") !== "true");
    else if (step) {
      const all = passage.children;
      const next = all[Math.min(all.length - 1, Math.max(0, Number(word.dataset.word) + step))];
      if (event.shiftKey) {
        const on = word.getAttribute("aria-checked") === "true" || next.getAttribute("aria-checked") !== "true";
        mark(word, on);
        mark(next, on);
      }
      visit(next);
    } else if (event.key === "Home" || event.key === "End") visit(event.key === "Home" ? passage.firstElementChild : passage.lastElementChild);
    else return;
    event.preventDefault();
  });
}
