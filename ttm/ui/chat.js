// Runs once in each browser tab: keys, and buttons inside messages.
if (!window.ttmReady) {
  window.ttmReady = true;

  // Several chats may stand on one page, with the same names: what is looked for is in the one that was touched last.
  let touched = null;
  const here = () => (touched?.isConnected ? touched : document);
  for (const type of ["pointerdown", "click", "keydown", "focusin"]) {
    const touch = (event) => (touched = event.target?.closest?.(".ttm-root") ?? touched);
    document.addEventListener(type, touch, { capture: true });
  }

  const composer = () => here().querySelector("#ttm-composer textarea");
  const button = (id, root = here()) => {
    const found = root.querySelector(`[id="${id}"]`);
    return found && (found.tagName === "BUTTON" ? found : found.querySelector("button"));
  };
  const inView = (element) => element && element.offsetParent !== null;
  const calm = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  const show = (element) => element?.scrollIntoView({ block: "nearest", behavior: calm ? "auto" : "smooth" });

  // A button inside a message names the hidden button that does its work.
  const act = (name, value) => {
    window.ttmValue = value;
    button(`ttm-act-${name}`)?.click();
    if (name === "correct") openSide("Correct");
    else if (name.startsWith("whatif")) openSide("What if");
  };
  window.ttmAct = act;
  window.ttmHere = here;

  // Plotly's own button saves a figure; its toolbar is hidden, since it covers the figure on a touch screen.
  const picture = (element) => {
    const figures = [...element.closest(".message-row").querySelectorAll(".js-plotly-plot")];
    const before = figures.filter((each) => each.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING);
    before.at(-1)?.querySelector(".modebar-btn[data-title*=Download]")?.click();
  };
  const nameFigures = () => {
    // A message that is a figure has a name of its own; gradio's would be read in its place, and belongs on no plain element.
    for (const part of document.querySelectorAll("[data-testid=bot][aria-label*='component of type']")) part.removeAttribute("aria-label");
    for (const figure of document.querySelectorAll(":is(#ttm-chat, #ttm-pins) .js-plotly-plot:not([role])")) {
      const captions = [...figure.closest(".message-row").querySelectorAll(".ttm-caption")];
      const above = captions.filter((each) => each.compareDocumentPosition(figure) & Node.DOCUMENT_POSITION_FOLLOWING);
      figure.setAttribute("role", "img");
      figure.setAttribute("aria-label", `Figure: ${above.at(-1)?.textContent ?? "of this answer"}. Its numbers follow as a table.`);
    }
  };

  const openSide = (label) => {
    const tabs = [...here().querySelectorAll("#ttm-side [role=tab]")];
    tabs.find((tab) => tab.textContent.trim() === label)?.click();
    setTimeout(() => show(here().querySelector("#ttm-side")), 300);
  };

  // What lies under a long conversation is opened from beside it.
  const openBelow = (id) => {
    const accordion = here().querySelector(`[id="${id}"]`);
    const fold = accordion?.querySelector("button.label-wrap");
    if (fold && !fold.classList.contains("open")) fold.click();
    accordion?.scrollIntoView({ block: "start", behavior: calm ? "auto" : "smooth" });
  };

  document.addEventListener("click", (event) => {
    const target = event.target;
    if (!(target instanceof Element)) return;
    const pressed = target.closest("[data-ttm]");
    if (pressed?.dataset.ttm === "picture") picture(pressed);
    else if (pressed?.dataset.ttm === "below") openBelow(pressed.dataset.value);
    else if (pressed) act(pressed.dataset.ttm, pressed.dataset.value);
    else if (target.closest("#ttm-tour")) openSide("Help");
    else if (target.closest(".ttm-chip, #ttm-undo")) setTimeout(() => composer()?.focus(), 400);
    else if (target.closest("#ttm-row-whatif")) openSide("What if");
  });

  // Sending: the line is emptied here, at once, and by nothing that comes from the server. An event of gradio's takes what was
  // in it from `ttmSent`: it looks at the line later, when the next question may already stand there.
  window.ttmSent = [];
  const write = (text) => {
    composer().value = text;
    composer().dispatchEvent(new Event("input", { bubbles: true }));
  };
  const send = () => {
    const text = composer()?.value ?? "";
    if (!text.trim()) return;
    window.ttmSent.push(text);
    write("");
  };
  const sends = (event) =>
    event.type === "keydown"
      ? event.key === "Enter" && !event.shiftKey && !event.isComposing && event.target === composer()
      : event.target instanceof Element && event.target.closest("#ttm-send");
  for (const type of ["keydown", "click"]) {
    document.addEventListener(type, (event) => sends(event) && send(), { capture: true });
  }

  // What is typed and not sent outlives a reload, as the conversation does.
  const DRAFT = "parley-chat-draft";
  let settled = false; // until somebody types, the page may still be emptying the line while it is set up
  document.addEventListener("input", (event) => {
    if (event.target !== composer()) return;
    settled ||= event.isTrusted;
    sessionStorage.setItem(DRAFT, composer().value);
  });
  const restore = () => {
    if (settled || !composer() || !document.querySelector("#ttm-chat .bot-row")) return;
    const draft = sessionStorage.getItem(DRAFT);
    if (draft && !composer().value) write(draft);
  };

  // A new answer is read from its question on, so that comes to the top of the window, and stays there while what is below it
  // grows: tables and figures are drawn after the text. Whoever scrolls meanwhile is left alone until the next question.
  let seen = null; // what was last brought into view
  let held = false;
  let left = false;
  const log = () => [here().querySelector("#ttm-chat .bubble-wrap")].find(inView);
  const place = () => {
    const last = held && [...(log()?.querySelectorAll(".user-row") ?? [])].at(-1);
    if (last) last.scrollIntoView({ block: "start" });
  };
  const follow = () => {
    const asked = [...(log()?.querySelectorAll(".user-row") ?? [])];
    const rows = log()?.querySelectorAll(".message-row").length;
    if (!rows) return;
    const now = { asked: asked.length, last: asked.at(-1)?.textContent ?? "", answered: !log().querySelector(".ttm-pending") };
    if (JSON.stringify(now) === JSON.stringify(seen)) return;
    const isNew = now.asked !== seen?.asked || now.last !== seen?.last;
    if (isNew) left = false;
    if (!seen && !now.asked && window.innerWidth > 900) composer()?.focus({ preventScroll: true });
    if (seen && !now.asked) show(log().querySelector(".message-row"));
    seen = now;
    held = !left;
    place();
  };
  for (const type of ["wheel", "touchmove"]) document.addEventListener(type, () => ((left = true), (held = false)), { passive: true });
  document.addEventListener("pointerdown", () => (held = false)); // a fold that is opened stays where it is
  const SCROLLING = ["PageUp", "PageDown", "Home", "End", "ArrowUp", "ArrowDown", " "];
  document.addEventListener("keydown", (event) => {
    if (SCROLLING.includes(event.key) && !typing(event.target)) [left, held] = [true, false];
  });
  const grown = new ResizeObserver(place);
  // Updates of the chatbot are numbered. If an older one came last, it is asked for again.
  const newest = new WeakMap();
  const refreshStale = () => {
    for (const chat of document.querySelectorAll("#ttm-chat")) {
      const number = Number(chat.className.match(/ttm-update-(\d+)/)?.[1] ?? 0);
      const isStale = number < (newest.get(chat) ?? 0);
      newest.set(chat, isStale ? 0 : number);
      if (isStale) button("ttm-act-refresh", chat.closest(".ttm-root") ?? document)?.click();
    }
  };
  // At once, and for many changes together before the next frame: while a question is pending, the page never rests.
  let isPlanned = false;
  new MutationObserver(() => {
    restore();
    refreshStale();
    if (isPlanned) return;
    isPlanned = true;
    requestAnimationFrame(() => {
      isPlanned = false;
      nameFigures();
      window.ttmChoosable?.();
      if (log()) grown.observe(log());
      follow();
    });
  }).observe(document.body, { childList: true, subtree: true, characterData: true });

  const typing = (element) => element?.closest?.("input, textarea, select, [contenteditable=true]");

  document.addEventListener("keydown", (event) => {
    if (!inView(composer())) return;
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
    if (plain && event.key === "/" && !typing(event.target)) composer().focus();
    else if (plain && event.key === "ArrowUp" && event.target === composer() && !composer().value) recall();
    else if (event.altKey && event.code === "KeyZ") button("ttm-undo")?.click();
    else if (event.altKey && event.code === "KeyP") act("pin", "last");
    else if (event.altKey && event.code === "KeyC") act("correct", "last");
    else return;
    event.preventDefault();
  });

  const recall = () => {
    const asked = [...here().querySelectorAll("#ttm-chat [data-testid=user]")].pop();
    if (!asked) return;
    write(asked.textContent.trim());
  };
}
