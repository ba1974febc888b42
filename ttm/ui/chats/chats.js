// Conversations, kept by this browser: stored after each answer, listed, opened, renamed, deleted. Runs once in each tab.
if (!window.ttmKeep) {
  const STORE = "parley-chat:", OPEN = "parley-open-chat";
  const LONGEST_LINK = 6000;

  const read = (id) => {
    try {
      return JSON.parse(localStorage.getItem(STORE + id));
    } catch {
      return null;
    }
  };
  const store = (chat) => {
    try {
      localStorage.setItem(STORE + chat.id, JSON.stringify(chat));
    } catch {
      window.parleyNote?.("This browser has no room left to keep conversations. Delete some of them under Chats.");
    }
  };
  const all = () =>
    Object.keys(localStorage)
      .filter((key) => key.startsWith(STORE))
      .map((key) => read(key.slice(STORE.length)))
      .filter(Boolean)
      .sort((one, other) => other.changed - one.changed);
  const titleOf = (chat) => chat.name || (chat.turns[0]?.utterance ?? chat.waiting?.[0] ?? "An empty conversation");

  let open = sessionStorage.getItem(OPEN);
  let expected = open;  // the conversation that this page was last asked to show: `open`, or one that is on its way
  let latest = "";  // what this page was last told of its conversation, also where nothing was asked yet
  const openChat = (chat) => {
    expected = chat.id;
    window.ttmAct("open", JSON.stringify(chat));
  };

  // Names of rows are kept by data set, for all conversations; those that another tab of the browser gave stay.
  const keepNames = (dataset, groups, forgotten) => {
    const key = `parley-groups:${dataset}`;
    const kept = { ...JSON.parse(localStorage.getItem(key) ?? "{}"), ...groups };
    for (const name of forgotten) delete kept[name];
    if (Object.keys(kept).length) localStorage.setItem(key, JSON.stringify(kept));
    else localStorage.removeItem(key);
  };

  // Called with the conversation of this tab whenever it has changed.
  window.ttmKeep = (text) => {
    if (!text) return;
    latest = text;
    const record = JSON.parse(text);
    keepNames(record.dataset, record.groups, record.forgotten);
    const another = open !== record.id;
    const before = another && open !== null ? read(open) : null;
    open = record.id;
    sessionStorage.setItem(OPEN, open);
    const known = read(open);
    if (record.turns.length || record.waiting.length) {
      const same = known && JSON.stringify(known.turns) === JSON.stringify(record.turns);
      store({ ...known, ...record, title: dataset(), changed: same ? known.changed : Date.now() });
    }
    if (before && open !== expected) {
      window.parleyNote?.("The conversation before is kept under Chats.", "Undo", () => openChat(before));
    }
    if (another) expected = open;
    address(record.dataset);
    list();
  };

  // The conversation that this page shows, for a server that may have been started again.
  window.ttmOpenChat = () => (open && localStorage.getItem(STORE + open)) || latest;

  // A server that was started again knows nothing of the conversation on this page, so it is handed over again.
  window.addEventListener("parley-restarted", () => {
    const chat = window.ttmOpenChat();
    if (chat) openChat(JSON.parse(chat));
  });

  // The page may be loaded again before the server has begun another conversation: then it begins with none.
  document.addEventListener("click", (event) => {
    if (event.target.closest?.("#ttm-restart")) sessionStorage.removeItem(OPEN);
  }, true);

  // The name of the data set, as it stands beside the chat.
  const dataset = () => document.querySelector("#ttm-dataset input")?.value ?? "";

  const address = (name) => {
    const url = new URL(location.href);
    const named = !name.startsWith("brought-");
    if (named ? url.searchParams.get("dataset") === name : !url.searchParams.has("dataset")) return;
    if (named) url.searchParams.set("dataset", name);
    else url.searchParams.delete("dataset");
    history.replaceState(history.state, "", url);
  };

  const make = (name, text, attributes = {}) => {
    const element = document.createElement(name);
    element.textContent = text;
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return element;
  };
  const act = (label, handler, about) => {
    const button = make("button", label, { type: "button", class: "ttm-chat-act", "aria-label": `${label}: ${about}` });
    button.addEventListener("click", handler);
    return button;
  };

  const list = () => {
    const place = document.getElementById("ttm-chats");
    if (!place || place.contains(document.activeElement?.closest("input"))) return;
    const chats = all();
    const rows = chats.map(row);
    const empty = make("p", "Nothing is kept yet. What you ask is kept by this browser, and by no other.", { class: "ttm-note" });
    const about = make("p", "Kept by this browser alone. An opened conversation is carried out again.", { class: "ttm-note" });
    const buttons = make("div", "", { class: "ttm-chat-buttons" });
    buttons.append(act("New chat", () => document.getElementById("ttm-restart")?.click(), "begin again"));
    if (read(open)) buttons.append(act("Copy link", copyLink, "the questions of this conversation"));
    const items = make("ul", "", { class: "ttm-chat-list" });
    items.append(...rows);
    place.replaceChildren(buttons, ...(rows.length ? [items, about] : [empty]));
  };

  const row = (chat) => {
    const item = make("li", "", chat.id === open ? { "aria-current": "true" } : {});
    const title = act(titleOf(chat), () => chat.id === open || openChat(read(chat.id)), "open");
    title.className = "ttm-chat-title";
    title.setAttribute("aria-label", `Open: ${titleOf(chat)}`);
    const count = chat.turns.length === 1 ? "1 question" : `${chat.turns.length} questions`;
    const when = new Date(chat.changed).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
    const line = make("span", [chat.title, count, when].filter(Boolean).join(" · "), { class: "ttm-chat-about" });
    const acts = make("span", "", { class: "ttm-chat-acts" });
    acts.append(act("Rename", () => rename(item, chat), titleOf(chat)), act("Delete", () => remove(chat), titleOf(chat)));
    item.append(title, line, acts);
    return item;
  };

  const rename = (item, chat) => {
    const field = make("input", "", { type: "text", maxlength: "120", "aria-label": "Name of the conversation" });
    field.value = titleOf(chat);
    const end = (keep) => {
      field.onblur = null;
      const latest = read(chat.id);
      if (keep && field.value.trim() && latest) store({ ...latest, name: field.value.trim() });
      field.blur();
      list();
    };
    field.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === "Escape") end(event.key === "Enter");
    });
    field.onblur = () => end(true);
    item.querySelector(".ttm-chat-title").replaceWith(field);
    field.select();
  };

  const remove = (chat) => {
    const latest = read(chat.id), wasOpen = chat.id === open && open === expected;
    localStorage.removeItem(STORE + chat.id);
    if (wasOpen) document.getElementById("ttm-restart")?.click();
    list();
    window.parleyNote?.("Deleted.", "Undo", () => {
      store(latest);
      if (wasOpen) openChat(latest);
      list();
    });
  };

  const copyLink = async () => {
    const chat = read(open);
    const url = new URL(location.pathname, location.href);
    if (chat.dataset.startsWith("brought-")) {
      return window.parleyNote?.("A link cannot hold a table of your own. Save the conversation as a file instead (Pinned).");
    }
    url.searchParams.set("dataset", chat.dataset);
    for (const turn of chat.turns) url.searchParams.append("q", turn.utterance);
    if (url.href.length > LONGEST_LINK) {
      return window.parleyNote?.("This conversation is too long for a link. Save it as a file instead (Pinned).");
    }
    await window.parleyCopy(url.href);
  };

  // The list is drawn when its tab is first opened, and when another tab of the browser changed something.
  new MutationObserver(() => {
    const place = document.getElementById("ttm-chats");
    if (place && !place.dataset.drawn) {
      place.dataset.drawn = "yes";
      list();
    }
  }).observe(document.body, { childList: true, subtree: true });
  window.addEventListener("storage", list);
}
