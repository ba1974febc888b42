// The page as a whole, once in each browser tab: addresses of the parts, back and forward between them, notes with an undo.
if (!window.parleyNote) {
  const SECONDS = 12;
  const names = new Map(JSON.parse(element.querySelector("[data-parts]").dataset.parts));

  const tabs = () => [...document.querySelectorAll("#parts > .tab-wrapper [role=tab]")];
  const partOf = (tab) => names.get(tab.textContent.trim());
  const wanted = () => {
    const address = new URL(location.href).searchParams;
    const implied = Object.entries({ kb: "ask", study: "annotate", run: "faithfulness" }).find(([name]) => address.has(name));
    return address.get("tab") ?? implied?.[1] ?? [...names.values()][0];
  };
  let following = false;
  const follow = () => {
    const tab = tabs().find((each) => partOf(each) === wanted());
    if (!tab || tab.getAttribute("aria-selected") === "true") return;
    following = true;
    tab.click();
    following = false;
  };

  // An address that names no part of the page opens the first, and it is said that it does.
  const nameUnknown = () => {
    const asked = wanted();
    if ([...names.values()].includes(asked)) return;
    const [shown] = names.keys();
    const text = `The address asks for the part “${asked}”, which is not here; this is “${shown}”.`;
    const message = Object.assign(document.createElement("p"), { id: "parley-address", textContent: text });
    message.setAttribute("role", "status");
    document.querySelector("#parts > .tab-wrapper")?.after(message);
  };

  document.addEventListener("click", (event) => {
    const tab = event.target instanceof Element && event.target.closest("#parts > .tab-wrapper [role=tab]");
    const part = tab && partOf(tab);
    if (following || !part || part === wanted()) return;
    document.getElementById("parley-address")?.remove();
    const url = new URL(location.href);
    url.searchParams.set("tab", part);
    for (const name of ["kb", "kb-after", "study", "run"]) url.searchParams.delete(name);
    history.pushState(null, "", url);
  });
  window.addEventListener("popstate", follow);

  // A line at the foot of the page that says what has happened, and can take it back.
  window.parleyNote = (text, label, handler) => {
    document.getElementById("parley-note")?.remove();
    const note = document.createElement("div");
    note.id = "parley-note";
    note.setAttribute("role", "status");
    note.append(Object.assign(document.createElement("span"), { textContent: text }));
    const button = (words, press) => {
      const made = Object.assign(document.createElement("button"), { type: "button", textContent: words });
      made.addEventListener("click", () => {
        note.remove();
        press?.();
      });
      note.append(made);
    };
    if (label) button(label, handler);
    button("Close");
    document.body.append(note);
    setTimeout(() => note.matches(":hover, :focus-within") || note.remove(), SECONDS * 1000);
  };

  window.parleyCopy = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
      window.parleyNote("The link was copied.");
    } catch {
      window.parleyNote(text); // no clipboard without https: it can be marked and copied from here
    }
  };

  // The parts of a page come each when its own file has, so this script can run before there is a tab to open.
  const open = () => {
    if (!tabs().length) return false;
    follow();
    nameUnknown();
    return true;
  };
  const waiting = new MutationObserver(() => open() && waiting.disconnect());
  if (!open()) waiting.observe(document.body, { childList: true, subtree: true });
}
