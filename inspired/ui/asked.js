// Questions that were asked in this browser: kept with their corrections, listed, opened again; the open one is in the address.
if (!window.kbKeep) {
  const STORE = "parley-kb-questions", MOST = 60;
  const read = () => {
    try {
      return JSON.parse(localStorage.getItem(STORE)) ?? [];
    } catch {
      return [];
    }
  };
  const store = (entries) => localStorage.setItem(STORE, JSON.stringify(entries.slice(0, MOST)));

  window.kbKeep = (text) => {
    if (!text) return;
    const entry = JSON.parse(text);
    store([entry, ...read().filter((each) => each.question !== entry.question)]);
    const url = new URL(location.href);
    url.searchParams.set("kb", entry.question);
    url.searchParams.set("tab", "ask");
    history.replaceState(history.state, "", url);
    list();
  };

  const open = (entry) => {
    window.kbEntry = JSON.stringify(entry);
    document.getElementById("kb-open")?.click();
  };
  const button = (text, label, handler) => {
    const made = document.createElement("button");
    Object.assign(made, { type: "button", textContent: text, className: "kb-before-act" });
    made.setAttribute("aria-label", label);
    made.addEventListener("click", handler);
    return made;
  };
  const row = (entry) => {
    const item = document.createElement("li");
    const title = button(entry.question, `Open: ${entry.question}`, () => open(entry));
    title.className = "kb-before-title";
    const remove = () => {
      store(read().filter((each) => each.question !== entry.question));
      list();
      window.parleyNote?.("Deleted.", "Undo", () => {
        store([entry, ...read()]);
        list();
      });
    };
    item.append(title, button("Delete", `Delete: ${entry.question}`, remove));
    return item;
  };
  const list = () => {
    const place = document.getElementById("kb-before");
    if (!place) return;
    const entries = read();
    place.hidden = !entries.length;
    place.querySelector("summary").textContent = `Questions asked here before (${entries.length})`;
    place.querySelector("ul").replaceChildren(...entries.map(row));
  };
  document.addEventListener("click", (event) => {
    if (event.target instanceof Element && event.target.closest("#kb-copy")) window.parleyCopy?.(location.href);
  });
  new MutationObserver(() => {
    const place = document.getElementById("kb-before");
    if (place && !place.dataset.drawn) {
      place.dataset.drawn = "yes";
      list();
    }
  }).observe(document.body, { childList: true, subtree: true });
  window.addEventListener("storage", list);
}
