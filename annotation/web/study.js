// Studies in the browser: pages come from the server as HTML; every press of a button is a call with the token, which the
// server looks up each time.

const ACCOUNT = "hugging_face"; // in the address, after signing in there
const PLATFORM_IDS = ["PROLIFIC_PID", "workerId", "survey_code"]; // in the address of whom a platform sends
const memory = new Map(); // where the browser allows no storage
const root = element.querySelector("#study-root");
const suffix = root.dataset.suffix; // several studies may stand on one page
const TOKEN = `parley-study-token${suffix}`;
const PAGE = `parley-study-page${suffix}`;
const BARE = `parley-study-bare${suffix}`; // that somebody came by a link, which opens the study and nothing around it
const SPOKEN = `parley-study-words${suffix}`; // sentences of these scripts in the language of the study
let task = null;
let polling = 0;
let ticking = 0;
let opening = 0; // counts the pages that were asked for

function recall(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return memory.get(name) ?? null;
  }
}

function remember(name, value) {
  try {
    localStorage.setItem(name, value);
  } catch {
    memory.set(name, value);
  }
}

function forget(name) {
  try {
    localStorage.removeItem(name);
  } catch {
    memory.delete(name);
  }
}

function token() {
  return recall(TOKEN) ?? "";
}

let {language, words} = JSON.parse(recall(SPOKEN) ?? '{"language": "en", "words": {}}');

// An English sentence in the language of the study, its {name} filled in.
function translate(message, values = {}) {
  return (words[message] ?? message).replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

function speak(reply) {
  if (!reply.words) return;
  [language, words] = [reply.language, reply.words];
  root.lang = language;
  remember(SPOKEN, JSON.stringify({language, words}));
}

async function call(name, ...data) {
  const {root: base = location.origin, api_prefix: prefix = "/gradio_api"} = window.gradio_config ?? {};
  const options = {method: "POST", headers: {"content-type": "application/json"}, body: JSON.stringify({data}), signal: AbortSignal.timeout(30000)};
  try {
    const response = await fetch(`${base.replace(/\/$/, "")}${prefix}/run/${name}${suffix}`, options);
    if (!response.ok) return {ok: false, reason: "connection", message: translate("the server answered with an error ({status}).", {status: response.status})};
    return (await response.json()).data[0];
  } catch {
    return {ok: false, reason: "connection", message: translate("the server cannot be reached.")};
  }
}

// --- pages ---------------------------------------------------------------------------------------------------------------

// The page that was asked for last is shown, whichever reply comes last.
async function open(asked, told = "") {
  clearTimeout(polling);
  const number = ++opening;
  const reply = await call("study_page", token(), asked);
  if (number !== opening) return;
  if (!reply.ok && reply.reason === "sign in") return toTheDoor(reply.message);
  if (!reply.ok) {
    setUpPolling();
    return tell(reply.message, true);
  }
  remember(PAGE, JSON.stringify({...asked, page: reply.page}));
  owner = reply.owner;
  showAround(reply.role !== "worker" || !recall(BARE));
  speak(reply);
  show(reply.html);
  showFigures(reply.role === "lead" && reply.page === "progress");
  if (told) tell(told);
  else root.querySelector(".study-main [tabindex='-1']")?.focus({preventScroll: true});
  if (toTheTurn()) return;
  const narrow = innerWidth <= 640 && reply.role === "worker" && task;
  if (narrow) root.querySelector(told ? ".study-news" : ".study-main").scrollIntoView(); // what is asked, below the head
  else if (root.getBoundingClientRect().top < 0) root.scrollIntoView();
}

// In a dialogue what came before stays above; what is asked now comes into sight.
function toTheTurn() {
  const form = root.querySelector("form[data-turn]");
  const [field] = form && Number(form.dataset.turn) > 1 ? fieldsOf(form).filter((each) => !each.closest("[hidden]")) : [];
  if (field) focusField(field);
  return Boolean(field);
}

function show(html) {
  clearInterval(ticking);
  task?.worked.keep();
  root.innerHTML = html;
  showTried();
  const form = root.querySelector("form[data-task]");
  task = form ? setUpTask(form) : null;
  root.querySelectorAll(".study-final").forEach(setUpFinal);
  setUpKept();
  root.querySelectorAll(".study-final").forEach(showWhatApplies);
  tellTimes(root);
  showPictures(root);
  setUpPolling();
  setUpClocks();
}

function setUpPolling() {
  clearTimeout(polling);
  const poll = root.querySelector("[data-poll]");
  if (poll) polling = setTimeout(refresh, 1000 * Number(poll.dataset.poll));
}

// Times come in UTC and are told in those of the reader.
function tellTimes(place) {
  place.querySelectorAll("time").forEach((time) => (time.textContent = new Date(time.dateTime).toLocaleString(language === "en" ? undefined : language)));
}

function refresh() {
  if (document.hidden) polling = setTimeout(refresh, 5000);
  else open(JSON.parse(recall(PAGE) ?? "{}"));
}

function setUpFinal(box) {
  for (const field of fieldsOf(box)) {
    if (field.dataset.kind === "mark") setUpPassage(field);
    if (field.dataset.kind === "slider") setUpSlider(field);
    field.addEventListener("input", () => showWhatApplies(box));
  }
  showWhatApplies(box);
}

function setUpClocks() {
  const left = root.querySelector("[data-left]");
  const elapsed = root.querySelector("[data-elapsed]");
  if (!left && !elapsed) return;
  const began = Date.now();
  const since = Number(root.querySelector("[data-since]")?.dataset.since ?? 0);
  const told = (seconds) => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  const tick = () => {
    const past = Math.floor((Date.now() - began) / 1000);
    if (elapsed) elapsed.textContent = told(since + past);
    if (!left) return;
    const rest = Number(left.dataset.left) - past;
    left.textContent = told(Math.max(0, rest));
    if (rest <= 0) open({page: "work"});
  };
  tick();
  ticking = setInterval(tick, 1000);
}

function tell(message, bad = false) {
  let news = root.querySelector(".study-news") ?? root.querySelector(".study-said");
  if (!news && !root.querySelector(".study-card")) return void (root.textContent = message);
  if (!news) { // a door at which nobody signs in, only the example is tried
    news = Object.assign(document.createElement("p"), {className: "study-news", tabIndex: -1});
    root.prepend(news);
  }
  news.textContent = message;
  news.classList.toggle("bad", bad);
  news.focus?.();
}

// In the app, a worker who came by a link sees the study alone: what stands around it is hidden, up to the whole page.
function showAround(on) {
  document.querySelectorAll(".study-around").forEach((each) => each.classList.remove("study-around"));
  const kinds = element.closest("#annotation-kinds");
  if (on || !kinds) return;
  for (let inside = element.closest(".study-whole"); inside && inside !== document.body; inside = inside.parentElement)
    for (const each of inside.parentElement.children) if (each !== inside) each.classList.add("study-around");
}

function showFigures(on) {
  element.closest(".study-whole")?.querySelector("#study-figures")?.classList.toggle("shown", on);
  if (on) trigger("select", {token: token()});
}

// --- the door ------------------------------------------------------------------------------------------------------------

async function toTheDoor(message = "") {
  forget(TOKEN);
  forget(BARE);
  showAround(true);
  showFigures(false);
  const number = ++opening;
  const reply = await call("study_door");
  if (number !== opening) return;
  if (!reply.ok) return void (root.textContent = reply.message);
  speak(reply);
  show(reply.html);
  if (message) tell(message, true);
}

// To Hugging Face and back here, where start() goes on.
function toHuggingFace(form) {
  const study = form.elements.study.value;
  if (!study) return void form.elements.study.reportValidity();
  const base = new URL(window.gradio_config?.root ?? location.origin).pathname.replace(/\/$/, "");
  const back = `${location.pathname}?${new URLSearchParams({study, [ACCOUNT]: "yes"})}`;
  location.assign(`${base}/login/huggingface?${new URLSearchParams({_target_url: back})}`);
}

async function signIn(asked, by = "study_sign_in", followed = false) {
  const reply = await call(by, asked);
  if (!reply.ok) return root.querySelector("[data-door]") ? tell(reply.message, true) : toTheDoor(reply.message);
  remember(TOKEN, reply.token);
  if (followed) remember(BARE, "yes");
  forget(PAGE);
  await open({});
}

async function start() {
  const link = new URLSearchParams(location.search);
  const ours = [link.get("study"), ""].includes(root.dataset.study) || !link.has("study");
  if (ours && link.has("worker")) {
    const asked = {study: link.get("study") ?? "", link: link.get("worker")};
    window.parleyStudyLink = true;
    link.delete("worker");
    link.delete("study");
    // The link lets in whoever has it, so it does not stay in the address bar.
    history.replaceState(null, "", `${location.pathname}${link.size ? `?${link}` : ""}${location.hash}`);
    return signIn(asked, "study_sign_in", true);
  }
  if (ours && link.has(ACCOUNT)) {
    const asked = {study: link.get("study") ?? ""};
    window.parleyStudyLink = true;
    link.delete(ACCOUNT);
    link.delete("study");
    history.replaceState(null, "", `${location.pathname}${link.size ? `?${link}` : ""}${location.hash}`);
    return signIn(asked, "study_sign_in_hugging_face");
  }
  const idName = PLATFORM_IDS.find((name) => link.has(name));
  if (ours && link.has("study") && idName) {
    const asked = {study: link.get("study"), id_name: idName, id: link.get(idName)};
    window.parleyStudyLink = true;
    for (const name of [idName, "study", "STUDY_ID", "SESSION_ID"]) link.delete(name);
    history.replaceState(null, "", `${location.pathname}${link.size ? `?${link}` : ""}${location.hash}`);
    return signIn(asked, "study_sign_in", true);
  }
  if (token()) return open(JSON.parse(recall(PAGE) ?? "{}"));
  await toTheDoor();
  if (ours && link.has("study")) chooseStudy(link.get("study"));
}

// An address may name a study without a person: the door has it chosen then.
function chooseStudy(name) {
  const field = root.querySelector("[data-door] [name=study]");
  const known = field?.options ? [...field.options].some((each) => each.value === name) : field?.value === name;
  if (known) field.value = name;
  else tell(translate("There is no study “{name}” here.", {name}), true);
}

// --- forms and buttons ---------------------------------------------------------------------------------------------------

async function send(form, pressed) {
  const asked = {...JSON.parse(form.dataset.asked), ...Object.fromEntries(new FormData(form))};
  for (const name of Object.keys(asked)) if (name.startsWith("final-")) delete asked[name];
  for (const [name, value] of Object.entries(asked)) if (value instanceof File) asked[name] = await value.text();
  if (pressed?.name) asked[pressed.name] = pressed.value;
  if (form.dataset.call === "study_export") asked.packed = true;
  if (pressed?.hasAttribute("data-final")) asked.final = answerOf(form.querySelector(".study-final"));
  const said = form.querySelector(".study-said");
  said.textContent = "…";
  const reply = await call(form.dataset.call, token(), asked);
  said.classList.toggle("bad", !reply.ok);
  if (!reply.ok && reply.reason === "sign in") return toTheDoor(reply.message);
  if (!reply.ok) return void (said.textContent = reply.reason === "connection" ? translate("Not sent: {why}", {why: reply.message}) : reply.message);
  forget(keptPlace(form));
  if (reply.file) await saveFile(reply.file);
  if (form.dataset.then) return open(JSON.parse(form.dataset.then), reply.message ?? "");
  form.reset();
  said.textContent = reply.message ?? translate("Done.");
  if (reply.code) showCredentials(said, reply);
  if (reply.people) showPeople(said, reply);
}

function showCredentials(said, made) {
  const address = linkOf(made.study, made.link);
  const lines = {[translate("Name")]: made.name, [translate("Role")]: made.role, [translate("Access code")]: made.code, [translate("Personal link")]: address};
  const list = document.createElement("dl");
  list.className = "study-credentials";
  for (const [label, value] of Object.entries(lines)) {
    list.append(Object.assign(document.createElement("dt"), {textContent: label}));
    list.append(Object.assign(document.createElement("dd"), {textContent: value, dir: "auto"}));
  }
  said.replaceChildren(translate("Write these down or send them now; they are not shown again."), list);
}

async function saveFile({name, base64, packed}) {
  let file = new Blob([Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))]);
  if (packed) file = await new Response(file.stream().pipeThrough(new DecompressionStream("gzip"))).blob();
  const made = Object.assign(document.createElement("a"), {href: URL.createObjectURL(file), download: name});
  made.click();
  setTimeout(() => URL.revokeObjectURL(made.href), 10000);
}

async function handInQuiz(form) {
  const answers = {};
  for (const question of form.querySelectorAll("[data-question]")) {
    answers[question.dataset.question] = question.querySelector("input:checked")?.value ?? "";
  }
  const reply = await call("study_submit_quiz", token(), {attempt: Number(form.dataset.quiz), answers});
  const said = form.querySelector(".study-refused");
  if (!reply.ok) return void (said.textContent = reply.message);
  if (reply.passed) return open({page: "work"}, translate("Passed: {score} of {of} are right.", reply));
  for (const question of form.querySelectorAll("[data-question]")) {
    const told = reply.explanations[question.dataset.question];
    question.disabled = true;
    question.classList.add(told === undefined ? "right" : "wrong");
    question.querySelector(".study-explained").textContent = told === undefined ? translate("Right.") : `${translate("Not right.")} ${told}`;
  }
  form.querySelector("[type=submit]").remove();
  said.replaceChildren(translate("{score} of {of} are right, which is not enough.", reply), " ");
  said.append(plainButton(translate("See when you can try again"), () => open({page: "work"})));
  said.focus();
}

async function step(by) {
  const slides = [...root.querySelectorAll("[data-slide]")];
  const at = slides.findIndex((slide) => !slide.hidden);
  if (by > 0) {
    const reply = await call("study_see_slide", token(), {slide: Number(slides[at].dataset.slide)});
    if (!reply.ok) return tell(reply.message, true);
    if (at === slides.length - 1) return open({page: "work"}, reply.phase === "tutorial" ? translate("Some slides are not seen yet.") : translate("You have seen all slides."));
  }
  const next = slides[Math.max(0, at + by)];
  slides.forEach((slide) => (slide.hidden = slide !== next));
  root.querySelector(".study-slides").scrollIntoView({block: "nearest"});
}

root.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.dataset.task) return;
  event.preventDefault();
  if ("door" in form.dataset) signIn(Object.fromEntries(new FormData(form)));
  else if (form.dataset.find) open({...JSON.parse(form.dataset.find), ...Object.fromEntries(new FormData(form))});
  else if ("make" in form.dataset) makeStudy(form);
  else if (form.dataset.quiz) handInQuiz(form);
  else send(form, event.submitter);
});

root.addEventListener("input", (event) => {
  const form = event.target.closest("form[data-call]");
  if (form) keepTyped(form);
});

// One box ticks all whose names begin as it says.
root.addEventListener("change", (event) => {
  const all = event.target;
  if (!all.dataset?.tickAll) return;
  for (const box of all.form.querySelectorAll(`[name^="${all.dataset.tickAll}"]`)) box.checked = all.checked;
});

root.addEventListener("click", (event) => {
  const pressed = event.target.closest("button");
  if (!pressed) return;
  if (pressed.dataset.page) {
    task?.saveAll();
    open(JSON.parse(pressed.dataset.page));
  } else if (pressed.dataset.step) step(Number(pressed.dataset.step));
  else if ("huggingFace" in pressed.dataset) toHuggingFace(pressed.form);
  else if ("out" in pressed.dataset) call("study_sign_out", token()).then(() => toTheDoor());
});

root.addEventListener("toggle", async (event) => {
  const fold = event.target;
  if (!fold.open || !fold.dataset.fragment || fold.dataset.loaded) return;
  fold.dataset.loaded = "yes";
  const reply = await call("study_page", token(), JSON.parse(fold.dataset.fragment));
  const box = document.createElement("div");
  if (reply.ok) box.innerHTML = reply.html;
  else box.textContent = reply.message;
  fold.append(box);
  tellTimes(box);
  showPictures(box);
}, true);

// --- keys ----------------------------------------------------------------------------------------------------------------

function press(event) {
  if (!root.isConnected || !root.offsetParent) return;
  const first = [...document.querySelectorAll("#study-root")].find((each) => each.offsetParent);
  const inside = root.contains(event.target) || (event.target === document.body && first === root);
  if (!inside || event.isComposing) return;
  const typing = event.target.closest?.("textarea, select, input:not([type=radio]):not([type=checkbox])");
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    const work = event.target.closest?.(".study-work");
    if (work) return void work.querySelector("[value=accepted]")?.click();
    const form = event.target.closest?.("form:not([data-task])");
    return form ? form.requestSubmit() : task?.handIn();
  }
  if (event.altKey && !event.ctrlKey) return void toggleFold(event);
  if (event.ctrlKey || event.metaKey || typing) return;
  const digit = /^[1-9]$/.test(event.key) ? Number(event.key) : 0;
  if (digit) choose(event, digit);
  else if (root.querySelector("[data-slide]") && {ArrowRight: 1, ArrowLeft: -1}[event.key]) {
    event.preventDefault();
    step({ArrowRight: 1, ArrowLeft: -1}[event.key]);
  }
}

function toggleFold(event) {
  const key = event.code.replace("Key", "").toLowerCase();
  const fold = root.querySelector(`details[data-key="${CSS.escape(key)}"]`);
  if (!fold) return;
  event.preventDefault();
  fold.open = !fold.open;
  (fold.open ? fold.querySelector("textarea") ?? fold.querySelector("summary") : fold.querySelector("summary")).focus();
}

// A digit chooses in the group that has the focus, else in the first one without an answer.
function choose(event, digit) {
  const groups = [...root.querySelectorAll("[role=radiogroup], fieldset.study-question")].filter((group) => group.offsetParent);
  const group = groups.find((each) => each.contains(event.target)) ?? groups.find((each) => !each.querySelector("input:checked")) ?? groups[0];
  const input = group?.querySelectorAll("input")[digit - 1];
  if (!input || input.disabled) return;
  event.preventDefault();
  input.focus();
  input.click();
}

window.parleyStudyKeys ??= {};
if (window.parleyStudyKeys[suffix]) document.removeEventListener("keydown", window.parleyStudyKeys[suffix]);
window.parleyStudyKeys[suffix] = press;
document.addEventListener("keydown", press);
document.addEventListener("visibilitychange", () => document.hidden || task?.catchUp());
window.addEventListener("focus", () => task?.catchUp());
window.addEventListener("online", () => task?.saveAll());
window.addEventListener("beforeunload", (event) => {
  if (task?.unsaved()) event.preventDefault();
});
start();
