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
    for (const other of entry.others) {
      hasReply(key, other.question);
      if (!entry.own && !read(key).some((each) => same(each, other))) store(key, [{ ...other, record: null }, ...read(key)]);
    }
    delete entry.others;
    hasReply(key, entry.question);
    tab(key, "own").write(entry.own ? entry.question : ""); // its graph goes with the page, which says so then
    if (entry.own) return void leaveAddress(key);
    const before = read(key).find((each) => same(each, entry));
    if (!same(entry, asked(key)) || entry.record !== before?.record) tab(key, "words").write({}); // other steps
    tab(key, "shown").write({ question: entry.question, earlier: entry.earlier });
    store(key, [entry, ...read(key).filter((each) => !same(each, entry))]);
    const url = new URL(location.href);
    url.searchParams.set(key, entry.question);
    url.searchParams.delete(`${key}-after`);
    for (const question of entry.earlier) url.searchParams.append(`${key}-after`, question);
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
    const words = [...(entry.earlier ?? []).slice(-1), entry.question].join(" → ");
    const title = button(words, `Open: ${words}`, () => open(key, entry));
    title.className = "kb-before-title";
    const remove = () => {
      store(key, read(key).filter((each) => !same(each, entry)));
      list();
      window.parleyNote?.("Deleted.", "Undo", () => {
        store(key, [entry, ...read(key)]);
        list();
      });
    };
    item.append(title, button("Delete", `Delete: ${words}`, remove));
    return item;
  };
  const leaveAddress = (key) => {
    tab(key, "shown").write(null);
    const url = new URL(location.href);
    for (const name of [key, `${key}-after`]) url.searchParams.delete(name);
    history.replaceState(history.state, "", url);
  };
  const NOTHING = { question: "", earlier: [] };
  const asked = (key) => {
    const address = new URL(location.href).searchParams;
    if (!address.has(key)) return tab(key, "shown").read(NOTHING);
    return { question: address.get(key), earlier: address.getAll(`${key}-after`) };
  };
  // A follow-up is another question after others.
  const same = (one, other) => one.question === other.question && (one.earlier ?? []).join("\n") === (other.earlier ?? []).join("\n");
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
  // What is typed, and sent without a reply so far, outlives a reload of this tab and a server that is started again.
  const tab = (key, what) => ({
    read: (empty) => {
      try {
        return JSON.parse(sessionStorage.getItem(`parley-${key}-${what}`)) ?? empty;
      } catch {
        return empty;
      }
    },
    write: (value) => sessionStorage.setItem(`parley-${key}-${what}`, JSON.stringify(value)),
  });
  const keyOf = (part) => part.closest(".kb-root")?.querySelector("#kb-before")?.dataset.key;
  const lineOf = (key) => document.querySelector(`.${key}-root #kb-question textarea`);
  const write = (field, text) => {
    field.value = text;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  };
  const hasReply = (key, question) => tab(key, "sent").write(tab(key, "sent").read([]).filter((each) => each.question !== question));
  const sends = (event) => {
    const part = event.target;
    if (event.type === "keydown") return event.key === "Enter" && !event.shiftKey && !event.isComposing && part.closest("#kb-question") && part.value;
    if (part.closest("#kb-ask")) return lineOf(keyOf(part))?.value;
    return part.closest(".kb-examples .kb-chip")?.textContent;
  };
  for (const type of ["keydown", "click"]) {
    document.addEventListener(type, (event) => {
      const question = event.target instanceof Element && sends(event);
      if (!question || !question.trim()) return;
      const key = keyOf(event.target);
      hasReply(key, plain(question)); // asked twice, it stands there once
      tab(key, "sent").write([...tab(key, "sent").read([]), { question: plain(question), tries: 0, own: asksOwn(key) }]);
    }, { capture: true });
  }
  // A graph that the visitor opened goes with the page, so what is asked of it is asked of nothing else later.
  const asksOwn = (key) => document.querySelector(`.${key}-root :is([data-kb-own], #kb-own .file-preview)`) !== null;
  const plain = (text) => text.trim().split(/\s+/).join(" ");
  document.addEventListener("input", (event) => {
    const field = event.target;
    const key = event.isTrusted && field instanceof HTMLTextAreaElement && keyOf(field);
    if (!key) return;
    if (field.closest("#kb-question")) tab(key, "line").write(field.value);
    if (field.closest(".kb-words")) tab(key, "words").write({ ...tab(key, "words").read({}), [nameOf(field)]: field.value });
  });
  const nameOf = (field) => field.closest("label")?.querySelector("[data-testid=block-info]")?.textContent.trim() ?? "";
  let touched = false; // until somebody does something, gradio may still be filling the page
  for (const type of ["pointerdown", "keydown"]) document.addEventListener(type, () => (touched = true), { capture: true });
  const bringLineBack = (key) => {
    const typed = tab(key, "line").read("");
    if (!touched && typed && lineOf(key)?.value === "") write(lineOf(key), typed);
  };
  const bringBack = () => {
    for (const part of document.querySelectorAll("[data-kb-refused]:not([data-seen])")) {
      part.dataset.seen = "";
      hasReply(keyOf(part), part.dataset.kbRefused);
    }
    for (const field of document.querySelectorAll("#kb-tab .kb-words textarea:not([data-seen])")) {
      field.dataset.seen = "";
      const words = tab(keyOf(field), "words").read({})[nameOf(field)];
      if (words && words !== field.value) write(field, words);
    }
  };
  document.addEventListener("click", (event) => {
    const button = event.target instanceof Element && event.target.closest("[data-kb-words]");
    const line = button && lineOf(keyOf(button));
    if (!line) return;
    const words = button.dataset.kbWords;
    if (!line.value.includes(words)) write(line, [words, line.value].filter(Boolean).join("\n"));
    line.focus();
  });
  window.addEventListener("parley-restarted", () => {
    for (const place of lists()) {
      const key = place.dataset.key;
      if (place.closest("#kb-tab").querySelector("#kb-own .file-preview")) {
        document.getElementById(`${key}-own-again`)?.click();
        continue;
      }
      const waiting = tab(key, "sent").read([]).filter((each) => !each.own).map((each) => each.question).filter((each) => each !== asked(key).question);
      const shown = asked(key);
      if (shown.question || waiting.length) open(key, { ...(read(key).find((each) => same(each, shown)) ?? shown), waiting });
      else document.getElementById(`${key}-example`)?.click();
    }
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
      if (!asked(key).question) early.add(key);
      if (window.kbLive) window.kbBegin();
    }
  });
  new MutationObserver(() => {
    bringBack();
    for (const place of lists()) {
      if (place.dataset.drawn) continue;
      place.dataset.drawn = "yes";
      fill(place);
      begun.observe(place.closest("#kb-tab"));
      for (const wait of [300, 1000, 3000]) setTimeout(bringLineBack, wait, place.dataset.key);
    }
  }).observe(document.body, { childList: true, subtree: true });
  window.addEventListener("storage", list);
}
