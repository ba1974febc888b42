// Questions that were asked in this browser: kept with their corrections, listed, opened again; the open one is in the address.
if (!window.kbKeep) {
  // Several may stand on one page: each has a key, "kb", "kb2" and so on.
  const MOST = 60;
  const name = (key) => `parley-${key}-questions`;
  const read = (key) => {
    try {
      return JSON.parse(localStorage.getItem(name(key))) ?? [];
    } catch {
      return [];
    }
  };
  const store = (key, entries) => localStorage.setItem(name(key), JSON.stringify(entries.slice(0, MOST)));

  window.kbKeep = (key, text) => {
    if (!text) return;
    const entry = JSON.parse(text);
    store(key, [entry, ...read(key).filter((each) => each.question !== entry.question)]);
    const url = new URL(location.href);
    url.searchParams.set(key, entry.question);
    if (document.getElementById("parts")) url.searchParams.set("tab", "ask");
    history.replaceState(history.state, "", url);
    list();
  };

  const open = (key, entry) => {
    window.kbEntry = JSON.stringify(entry);
    document.getElementById(`${key}-open`)?.click();
  };
  const button = (text, label, handler) => {
    const made = document.createElement("button");
    Object.assign(made, { type: "button", textContent: text, className: "kb-before-act" });
    made.setAttribute("aria-label", label);
    made.addEventListener("click", handler);
    return made;
  };
  const row = (key, entry) => {
    const item = document.createElement("li");
    const title = button(entry.question, `Open: ${entry.question}`, () => open(key, entry));
    title.className = "kb-before-title";
    const remove = () => {
      store(key, read(key).filter((each) => each.question !== entry.question));
      list();
      window.parleyNote?.("Deleted.", "Undo", () => {
        store(key, [entry, ...read(key)]);
        list();
      });
    };
    item.append(title, button("Delete", `Delete: ${entry.question}`, remove));
    return item;
  };
  const lists = () => document.querySelectorAll("#kb-before");
  const list = () => lists().forEach(fill);
  const fill = (place) => {
    const key = place.dataset.key;
    const entries = read(key);
    place.hidden = !entries.length;
    place.querySelector("summary").textContent = `Questions asked here before (${entries.length})`;
    place.querySelector("ul").replaceChildren(...entries.map((entry) => row(key, entry)));
  };
  document.addEventListener("click", (event) => {
    if (event.target instanceof Element && event.target.closest("#kb-copy")) window.parleyCopy?.(location.href);
  });
  // Where the tab is opened and the address names no question, an example is answered. A page that opens with this tab has it
  // before Gradio listens to clicks.
  const early = new Set();
  window.kbBegin = () => {
    for (const key of early) document.getElementById(`${key}-example`)?.click();
    early.clear();
  };
  const begun = new IntersectionObserver((seen) => {
    for (const { target, isIntersecting } of seen) {
      if (!isIntersecting) continue;
      begun.unobserve(target);
      const key = target.querySelector("#kb-before").dataset.key;
      if (!new URL(location.href).searchParams.has(key)) early.add(key);
      if (window.kbLive) window.kbBegin();
    }
  });
  new MutationObserver(() => {
    for (const place of lists()) {
      if (place.dataset.drawn) continue;
      place.dataset.drawn = "yes";
      fill(place);
      begun.observe(place.closest("#kb-tab"));
    }
  }).observe(document.body, { childList: true, subtree: true });
  window.addEventListener("storage", list);
}
