// Names of the knowledge base are offered under a line while one types in it: a combobox, as ARIA describes it, that takes no key
// before one of its names is chosen by arrows. One request at a time is on its way, and none while somebody types fast.
if (!window.kbOffer) {
  const LINES = ".kb-root #kb-question textarea, .kb-root .kb-words textarea";
  const PAUSE = 150, PATIENCE = 4000; // ms
  const FEWEST = 3, LONGEST = 120; // letters; `offers.py` has the same
  let line = null; // in which somebody types
  let offers = []; // [typed, text, about]
  let end = 0; // where the words end that they complete
  let chosen = -1;
  let asked = null; // the text whose names are on their way
  let ended = null; // the text whose last word begins no name
  let pause = 0, patience = 0;

  const list = document.createElement("ul");
  Object.assign(list, { id: "kb-offers", hidden: true });
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "Names in the knowledge base");
  const status = document.createElement("p");
  status.className = "kb-hidden";
  status.setAttribute("role", "status");

  const before = () => {
    const { value, selectionStart: start, selectionEnd: end } = line;
    return start === end && !/^[\p{L}\p{N}]/u.test(value.slice(end)) ? value.slice(0, start).slice(-LONGEST) : "";
  };
  const isWorthAsking = (text) => {
    if (!/[\p{L}\p{N}]$/u.test(text) || (text.match(/\p{L}/gu)?.length ?? 0) < FEWEST) return false;
    return ended === null || !text.startsWith(ended) || /[^\p{L}]/u.test(text.slice(ended.length));
  };
  const ask = () => {
    if (asked !== null || !line?.isConnected || document.activeElement !== line) return;
    const text = before();
    if (!isWorthAsking(text)) return;
    asked = text;
    patience = setTimeout(() => { // a request that fails says nothing
      answered();
      if (line && before() !== text) soon();
    }, PATIENCE);
    const key = line.closest(".kb-root").querySelector("#kb-before").dataset.key;
    document.getElementById(`${key}-names`)?.click();
  };
  const soon = () => {
    clearTimeout(pause);
    pause = setTimeout(ask, PAUSE);
  };
  const answered = () => {
    clearTimeout(patience);
    asked = null;
  };
  window.kbTyped = () => asked;
  // Where the server cannot be reached, Gradio loads the page again; for names that are missing nobody's typing is interrupted.
  const send = window.fetch;
  window.fetch = (...args) => {
    const body = asked === null ? "" : args[1]?.body;
    const isOurs = typeof body === "string" && body.startsWith(`{"data":[${JSON.stringify(asked)},`);
    return isOurs ? send(...args).catch(() => Response.json({ error: null }, { status: 500 })) : send(...args);
  };
  window.kbOffer = (text) => {
    const reply = text ? JSON.parse(text) : null;
    if (reply === null) return;
    if (reply.before === asked) answered();
    else if (asked !== null) return; // that came late, and other names are on their way
    if (!line || document.activeElement !== line) return;
    if (before() !== reply.before) return soon();
    ended = reply.ended ? reply.before : null;
    offers = reply.offers;
    end = line.selectionStart;
    show();
  };

  const option = ([, text, about], index) => {
    const item = document.createElement("li");
    item.id = `kb-offer-${index}`;
    item.setAttribute("role", "option");
    item.setAttribute("aria-selected", "false");
    const name = document.createElement("b"), what = document.createElement("span");
    name.textContent = text;
    what.textContent = about;
    item.append(name, what);
    item.addEventListener("click", () => take(index));
    return item;
  };
  const show = () => {
    if (!offers.length) return close();
    const page = line.closest(".gradio-container") ?? document.body;
    if (list.parentElement !== page) page.append(list, status);
    list.replaceChildren(...offers.map(option));
    list.hidden = false;
    line.setAttribute("aria-expanded", "true");
    line.setAttribute("aria-controls", list.id);
    status.textContent = offers.length === 1 ? "One name. Arrow keys choose it." : `${offers.length} names. Arrow keys choose one.`;
    choose(-1);
    put();
  };
  // Under the line, or over it where there is no room below.
  const put = () => {
    if (list.hidden) return;
    const around = list.offsetParent?.getBoundingClientRect() ?? { left: 0, top: 0 };
    const at = line.getBoundingClientRect();
    const room = window.visualViewport?.height ?? innerHeight; // what a keyboard on the screen leaves
    const below = room - at.bottom - 12;
    const above = below < 150 && at.top > below;
    list.style.maxHeight = `${Math.max(above ? at.top - 12 : below, 120)}px`;
    const height = list.offsetHeight;
    list.style.left = `${at.left - around.left}px`;
    list.style.width = `${Math.min(at.width, 640)}px`;
    list.style.top = `${(above ? at.top - height - 4 : at.bottom + 4) - around.top}px`;
  };
  const close = () => {
    offers = [];
    clearTimeout(pause);
    choose(-1);
    list.hidden = true;
    status.textContent = "";
    line?.setAttribute("aria-expanded", "false");
    line?.removeAttribute("aria-controls");
  };
  const choose = (index) => {
    chosen = index;
    for (const [number, item] of [...list.children].entries()) item.setAttribute("aria-selected", String(number === index));
    list.children[index]?.scrollIntoView({ block: "nearest" });
    if (index < 0) line?.removeAttribute("aria-activedescendant");
    else line.setAttribute("aria-activedescendant", `kb-offer-${index}`);
  };
  const take = (index) => {
    const [typed, text] = offers[index];
    const taken = line, start = end - typed.length, cursor = line.selectionStart; // which may be letters further on
    close();
    if (cursor < end || taken.value.slice(start, end) !== typed) return;
    line = null; // what is written now is not typed
    taken.setSelectionRange(start, cursor);
    // As if typed, so that it can be undone; where a browser cannot do that, it is put in.
    if (!document.execCommand("insertText", false, text)) {
      taken.setRangeText(text, start, cursor, "end");
      taken.dispatchEvent(new Event("input", { bubbles: true }));
    }
    line = taken;
  };

  const KEYS = {
    ArrowDown: () => choose(chosen + 1 < offers.length ? chosen + 1 : -1),
    ArrowUp: () => choose(chosen < 0 ? offers.length - 1 : chosen - 1),
    Enter: () => take(chosen),
    Tab: () => take(chosen),
    Escape: close,
  };
  // Before anything else on the page hears of the key.
  window.addEventListener("keydown", (event) => {
    if (list.hidden || event.target !== line || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (!KEYS[event.key]) return;
    if (["Enter", "Tab"].includes(event.key) && (chosen < 0 || event.shiftKey)) return close();
    event.preventDefault();
    event.stopImmediatePropagation();
    KEYS[event.key]();
  }, { capture: true });
  document.addEventListener("input", (event) => {
    if (line === null || event.target !== line || !event.isTrusted) return;
    const text = before();
    if (!isWorthAsking(text)) close();
    else soon();
  });
  document.addEventListener("focusin", (event) => {
    const field = event.target instanceof Element && event.target.matches(LINES) ? event.target : null;
    if (field === line || !field) return;
    line = field;
    line.setAttribute("role", "combobox");
    line.setAttribute("aria-autocomplete", "list");
    line.setAttribute("aria-expanded", "false");
  });
  document.addEventListener("focusout", (event) => {
    if (event.target !== line) return;
    close();
  });
  list.addEventListener("mousedown", (event) => event.preventDefault()); // the line keeps the cursor
  (window.visualViewport ?? window).addEventListener("resize", put);
}
