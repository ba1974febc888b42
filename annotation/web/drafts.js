// A task in work: every change is saved on the server within a second, and the worker sees whether it is. What could not be
// saved stays in its field and in this browser, is tried again by itself, and is there after a reload.

const WAIT = 350; // ms after the last key
const LONGEST = 800; // ms after the first unsaved key, however fast somebody types
const AGAIN = [1000, 2000, 4000, 8000, 15000];

function setUpTask(form) {
  const {key} = form.dataset;
  const owner = JSON.parse(form.dataset.owner);
  const mode = form.dataset.task;
  const state = form.querySelector(".study-state");
  const refused = form.querySelector(".study-refused");
  const drafts = new Map();
  const worked = setUpWorked(owner, key);
  let shown = "";

  for (const field of fieldsOf(form)) {
    const value = valueOf(field);
    drafts.set(field, {version: Number(field.dataset.version), saved: JSON.stringify(value), failed: 0, busy: false, since: 0, timer: 0, other: null, told: ""});
    if (field.dataset.kind === "mark") setUpPassage(field);
    if (field.dataset.kind === "slider") setUpSlider(field);
    field.addEventListener("input", () => changed(field));
    restore(field);
    help(field);
  }
  showWhatApplies(form);
  showState();

  function slot(field) {
    return `parley-draft ${owner} ${key} ${field.dataset.field}`;
  }

  function restore(field) {
    const kept = recall(slot(field));
    if (kept === null) return;
    const {value, version} = JSON.parse(kept);
    const draft = drafts.get(field);
    if (JSON.stringify(value) === draft.saved) return forget(slot(field));
    const theirs = valueOf(field);
    setValue(field, value);
    if (version > draft.version) changed(field);
    else conflict(field, {version: draft.version, value: theirs});
  }

  function changed(field) {
    const draft = drafts.get(field);
    const value = valueOf(field);
    if (JSON.stringify(value) === draft.saved && !draft.busy && !draft.other) {
      clearTimeout(draft.timer);
      draft.since = 0;
      forget(slot(field));
    } else {
      remember(slot(field), JSON.stringify({value, version: draft.version + 1}));
      draft.since ||= Date.now();
      clearTimeout(draft.timer);
      draft.timer = setTimeout(() => save(field), Math.max(0, Math.min(WAIT, draft.since + LONGEST - Date.now())));
    }
    showWhatApplies(form);
    help(field);
    showState();
  }

  async function save(field) {
    const draft = drafts.get(field);
    clearTimeout(draft.timer);
    const value = valueOf(field);
    if (draft.busy || draft.other || form.inert || !form.isConnected || JSON.stringify(value) === draft.saved) return;
    draft.busy = true;
    const version = draft.version + 1;
    const taken = worked.take();
    const reply = await call("study_save_draft", token(), {key, field: field.dataset.field, value, version, worked: taken / 1000});
    worked.settle(taken, reply.ok);
    draft.busy = false;
    if (!form.isConnected) {
      if (reply.ok && JSON.stringify(reply.value) === JSON.stringify(value)) forget(slot(field));
      return;
    }
    if (!reply.ok) return failed(field, reply);
    draft.failed = 0;
    draft.told = "";
    if (JSON.stringify(reply.value) !== JSON.stringify(value)) return conflict(field, reply);
    draft.version = reply.version;
    draft.saved = JSON.stringify(value);
    draft.since = 0;
    if (JSON.stringify(valueOf(field)) !== draft.saved) changed(field);
    else {
      forget(slot(field));
      showState();
      check(field);
    }
  }

  function failed(field, reply) {
    const draft = drafts.get(field);
    draft.told = reply.message;
    draft.failed += 1;
    showState();
    if (reply.reason === "sign in") return toTheDoor(reply.message);
    if (reply.reason === "connection" || reply.reason === "defect") {
      draft.timer = setTimeout(() => save(field), AGAIN[Math.min(draft.failed, AGAIN.length) - 1]);
    }
  }

  // Another tab has saved something else: nobody's text is dropped without being asked.
  function conflict(field, reply) {
    const draft = drafts.get(field);
    draft.other = reply;
    const note = field.closest(".study-part").querySelector("[data-saved]");
    const take = plainButton(translate("Take that text"), () => settle(field, reply.value, reply));
    const keep = plainButton(translate("Keep mine"), () => settle(field, valueOf(field), reply));
    note.replaceChildren(translate("NOT saved: another tab has another text here."), " ", take, " ", keep);
    showState();
  }

  function settle(field, value, reply) {
    const draft = drafts.get(field);
    draft.other = null;
    draft.version = reply.version;
    draft.saved = JSON.stringify(reply.value);
    setValue(field, value);
    changed(field);
    save(field);
  }

  function unsaved() {
    if (!form.isConnected) return [];
    return [...drafts.keys()].filter((field) => JSON.stringify(valueOf(field)) !== drafts.get(field).saved || drafts.get(field).other);
  }

  function showState() {
    let trouble = "";
    for (const [field, draft] of drafts) {
      const note = field.closest(".study-part").querySelector("[data-saved]");
      const dirty = JSON.stringify(valueOf(field)) !== draft.saved;
      field.classList.toggle("unsaved", Boolean(draft.failed || draft.other));
      if (draft.other) trouble ||= translate("another tab has another text");
      else if (dirty && draft.failed) {
        trouble ||= draft.told;
        note.replaceChildren(translate("NOT saved."), " ", plainButton(translate("Save again"), () => save(field)));
      } else note.textContent = dirty ? "…" : draft.version > 0 ? translate("saved") : "";
    }
    const open = unsaved().length;
    const told = trouble ? translate("NOT saved: {why} What you typed stays here.", {why: trouble}) : open ? translate("Saving …") : translate("All changes are saved.");
    state.classList.toggle("bad", Boolean(trouble));
    if (told === shown) return;
    shown = told;
    state.textContent = told;
  }

  function help(field) {
    if (field.dataset.kind !== "write") return;
    countWords(field);
    growBox(field);
  }

  async function check(field) {
    if (field.dataset.kind !== "write") return;
    const {source, entities} = field.dataset;
    const asked = {field: field.dataset.field, value: field.value, source: JSON.parse(source), entities: JSON.parse(entities)};
    const reply = await call("study_check", token(), asked);
    if (reply.ok && field.value === asked.value) showWarnings(form, field, reply.warnings);
  }

  // --- handing in ----------------------------------------------------------------------------------------------------------

  // The same answer is sent under the same id, however often; the server takes it once.
  function submission(answer) {
    const place = `parley-submission ${owner} ${key}`;
    const before = JSON.parse(recall(place) ?? "null");
    const body = JSON.stringify(answer);
    if (before?.body === body) return before.id;
    const id = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    remember(place, JSON.stringify({id, body}));
    return id;
  }

  // A draft that arrives after the answer would stand there as a change to it.
  async function idle() {
    for (const draft of drafts.values()) clearTimeout(draft.timer);
    while ([...drafts.values()].some((draft) => draft.busy)) await new Promise((done) => setTimeout(done, 20));
  }

  async function handIn(insist) {
    const missing = missingFields(form);
    if (missing.length) {
      refuse(missing.length === 1 ? translate("One field is still empty.") : translate("{count} fields are still empty.", {count: missing.length}));
      return focusField(missing[0]);
    }
    const answer = answerOf(form);
    refused.replaceChildren();
    form.inert = true;
    await idle();
    const more = "more" in form.dataset;
    const taken = worked.take();
    const asked = {key, answer, insist, worked: taken / 1000};
    const reply = more
      ? await call("study_hand_in_turn", token(), {...asked, turn: Number(form.dataset.turn)})
      : await call(mode, token(), {...asked, submission: submission(answer)});
    worked.settle(taken, reply.ok);
    form.inert = false;
    if (!reply.ok) unsaved().forEach(save);
    if (reply.ok) {
      for (const field of drafts.keys()) {
        clearTimeout(drafts.get(field).timer);
        forget(slot(field));
      }
      forget(`parley-submission ${owner} ${key}`);
      drafts.clear();
      if (more) return open({page: "work"});
      worked.forget();
      task = null;
      const told = mode === "study_edit" ? translate("Your edit is handed in.") : translate("Handed in: {done} of {of}.", reply);
      return open(mode === "study_edit" ? {page: "mine"} : {page: "work"}, told);
    }
    if (reply.reason === "warnings") return warn(reply.warnings);
    if (reply.reason === "sign in") return toTheDoor(reply.message);
    if (reply.reason === "connection") return refuse(translate("NOT handed in: {why} Everything stays here; try again.", {why: reply.message}));
    refuse(`${translate("Not handed in.")} ${inWords(form, reply.message)}`);
    if (reply.reason === "lease") refused.append(" ", plainButton(translate("Get my next task"), () => open({page: "work"})));
    const named = fieldsOf(form).find((field) => reply.message.includes(`“${field.dataset.field}”`));
    if (named) focusField(named);
  }

  function refuse(message) {
    refused.replaceChildren(message);
    refused.focus();
  }

  function warn(warnings) {
    for (const field of fieldsOf(form)) showWarnings(form, field, warnings.filter((each) => each.name === field.dataset.field));
    const list = document.createElement("ul");
    list.append(...warnings.map((each) => {
      const line = document.createElement("li");
      const field = fieldsOf(form).find((one) => one.dataset.field === each.name);
      line.append(field ? plainButton(inWords(form, each.message), () => focusField(field)) : each.message);
      return line;
    }));
    refused.replaceChildren(translate("Look again before it is handed in:"), list, plainButton(translate("Hand in anyway"), () => handIn(true)));
    refused.focus();
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!form.inert) handIn(false);
  });

  // What another tab has saved meanwhile is taken over, unless something here is not saved.
  async function catchUp() {
    if (mode !== "study_submit" || unsaved().length || !form.isConnected) return;
    const reply = await call("study_next", token(), {});
    if (!form.isConnected || unsaved().length) return;
    const elsewhere = reply.key !== key || String(reply.turn || "") !== (form.dataset.turn ?? "");
    if (!reply.ok || elsewhere) return void (reply.reason !== "connection" && open({page: "work"}));
    for (const [field, draft] of drafts) {
      const newer = reply.drafts[field.dataset.field];
      if (!newer || newer.version <= draft.version) continue;
      draft.version = newer.version;
      draft.saved = JSON.stringify(newer.value);
      setValue(field, newer.value);
      help(field);
    }
    showWhatApplies(form);
    showState();
  }

  return {worked, catchUp, unsaved: () => unsaved().length > 0, saveAll: () => unsaved().forEach(save), handIn: () => form.requestSubmit()};
}

function plainButton(label, act) {
  const made = Object.assign(document.createElement("button"), {type: "button", className: "study-link", textContent: label});
  made.addEventListener("click", act);
  return made;
}
