// Before a study: the example to try, and a study made here. Files are read in the browser and sent as text.

// Characters that one call can carry: in one text, and in all pictures together.
const MOST_OF_ONE = 1000000, MOST_DROPPED = 4000000;
const TRIED = `parley-study-tried${suffix}`; // the tokens of the worker and of the lead of an example that is tried

function isTried() {
  return token().startsWith("try-");
}

// Above every page of an example: who one is there, and the way out.
function showTried() {
  if (!isTried()) return;
  const tried = JSON.parse(recall(TRIED) ?? "{}");
  const bar = Object.assign(document.createElement("div"), {className: "study-tried"});
  const as = (role, label) => {
    const made = plainButton(label, () => enterTried(role));
    if (token() === tried[role]) made.setAttribute("aria-current", "true");
    return made;
  };
  const leave = plainButton(translate("Leave the example"), () => toTheDoor());
  bar.append(translate("This is an example to try; nothing is kept."), " ", as("worker", translate("You as a worker")), " ", as("lead", translate("You as a lead")), " ", leave);
  root.prepend(bar);
}

function enterTried(role) {
  const tried = JSON.parse(recall(TRIED) ?? "{}");
  task?.saveAll();
  remember(TOKEN, tried[role]);
  forget(PAGE);
  open({});
}

async function tryIt(role) {
  const reply = await call("study_try", {});
  if (!reply.ok) return tell(reply.message, true);
  remember(TRIED, JSON.stringify({worker: reply.worker, lead: reply.lead}));
  enterTried(role);
}

let dropped = {}; // pictures as base64 by the names of their files

// In the language of the browser, until one is chosen.
async function toMaking(asked = {}) {
  const reply = await call("study_making", {language: navigator.language.slice(0, 2), ...asked});
  if (!reply.ok) return tell(reply.message, true);
  dropped = reply.pictures;
  speak(reply);
  show(reply.html);
  await preview(root.querySelector("form[data-make]"));
}

// Another language leaves what was typed, another template does not, and asks before.
async function beginOtherwise(form, changed) {
  const typed = form.dataset.touched ? {...drafted(form), touched: "yes"} : null;
  const asked = {template: form.elements.template.value, language: form.elements.language.value};
  if (changed === "template" && typed && !confirm(translate("What is typed here is replaced by the template. Go on?"))) {
    form.elements.template.value = form.dataset.template;
    return;
  }
  await toMaking(asked);
  if (changed === "template" || !typed) return;
  const now = root.querySelector("form[data-make]");
  typed.toml = typed.toml.replace(/^language\s*=\s*"\w*"/m, `language = "${asked.language}"`);
  for (const field of now.querySelectorAll("input[name], textarea[name]")) if (field.name in typed) field.value = typed[field.name];
  [dropped, now.dataset.ending, now.dataset.touched] = [typed.pictures, typed.ending, "yes"];
  now.querySelector("[data-pictures] ~ [data-dropped]").textContent = Object.keys(dropped).join(", ");
  preview(now);
}

function drafted(form) {
  const typed = Object.fromEntries([...new FormData(form)].filter(([, value]) => typeof value === "string"));
  return {...typed, ending: form.dataset.ending, pictures: dropped};
}

async function preview(form) {
  const reply = await call("study_preview", drafted(form));
  const said = form.querySelector(".study-said");
  said.classList.toggle("bad", !reply.ok);
  said.textContent = reply.message;
  if (!reply.ok) return;
  const shown = root.querySelector("[data-shown]");
  shown.innerHTML = reply.html;
  shown.querySelectorAll(".study-final").forEach(setUpFinal);
  for (const [digest, address] of Object.entries(reply.pictures)) pictures.set(digest, Promise.resolve({ok: true, address}));
  showPictures(shown);
}

// The first item, with what is answered to it in the preview, goes to the trial or to the attention items.
async function moveItem(form, to) {
  const reply = await call("study_move_item", {...drafted(form), to, answer: answerOf(root.querySelector("[data-shown] .study-final"))});
  const said = form.querySelector(".study-said");
  said.classList.toggle("bad", !reply.ok);
  if (!reply.ok) return void (said.textContent = reply.message);
  for (const [name, value] of Object.entries(reply.fields)) form.elements[name].value = value;
  [form.dataset.ending, form.dataset.touched] = [reply.ending, "yes"];
  form.elements[to].closest("details").open = true;
  preview(form);
}

async function takePictures(form, files) {
  for (const file of files) {
    const bytes = new Uint8Array(await file.arrayBuffer());
    dropped[file.name] = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  }
  form.querySelector("[data-pictures] ~ [data-dropped]").textContent = Object.keys(dropped).join(", ");
  const sizes = Object.values(dropped).map((each) => each.length);
  if (Math.max(0, ...sizes) < MOST_OF_ONE && sizes.reduce((sum, each) => sum + each, 0) < MOST_DROPPED) return preview(form);
  const said = form.querySelector(".study-said");
  said.classList.add("bad");
  said.textContent = translate("These pictures are too large to be dropped together; make the study with some, add the others to its folder, and read it again with parley study init.");
}

async function takeFile(form, file) {
  if (!file) return;
  form.dataset.ending = (file.name.match(/\.[^.]+$/)?.[0] ?? "").toLowerCase();
  form.elements.items.value = await file.text();
  form.querySelector("[data-items] ~ [data-dropped]").textContent = file.name;
  preview(form);
}

async function makeStudy(form) {
  const reply = await call("study_make", drafted(form));
  const said = form.querySelector(".study-said");
  said.classList.toggle("bad", !reply.ok);
  if (!reply.ok) return void (said.textContent = reply.message);
  remember(TOKEN, reply.token);
  forget(PAGE);
  await open({page: "people"});
  const news = root.querySelector(".study-news");
  showCredentials(news, reply);
  news.append(translate("The study is in {folder}. Add people below.", {folder: reply.folder}));
}

// Names, codes and links of several people, to copy at once.
function showPeople(said, made) {
  const lines = made.people.map((each) => [each.name, each.code, linkOf(made.study, each.link)].join("\t"));
  const text = ["name\tcode\tlink", ...lines].join("\n");
  const box = Object.assign(document.createElement("textarea"), {className: "study-links-made", readOnly: true, rows: Math.min(12, lines.length + 1), value: text, ariaLabel: translate("Names, codes and links")});
  const copy = plainButton(translate("Copy all"), async () => {
    await navigator.clipboard?.writeText(text).catch(() => box.select());
    copy.textContent = translate("Copied");
  });
  said.replaceChildren(translate("Copy these now; they are not shown again."), box, copy, mails(made));
}

// A mail for each person, begun in the mail program of this computer.
function mails(made) {
  const list = document.createElement("p");
  for (const each of made.people) {
    const text = `${each.name}\n\n${linkOf(made.study, each.link)}\n`;
    const href = `mailto:?subject=${encodeURIComponent(made.study)}&body=${encodeURIComponent(text)}`;
    list.append(Object.assign(document.createElement("a"), {className: "study-link", href, textContent: translate("Mail to {name}", {name: each.name})}), " ");
  }
  return list;
}

function linkOf(study, link) {
  return `${location.origin}${location.pathname}?study=${encodeURIComponent(study)}&worker=${link}`;
}

root.addEventListener("click", (event) => {
  const pressed = event.target.closest("button");
  if (!pressed) return;
  if (pressed.dataset.try) tryIt(pressed.dataset.try);
  else if ("making" in pressed.dataset) toMaking();
  else if ("doorAgain" in pressed.dataset) toTheDoor();
  else if ("preview" in pressed.dataset) preview(pressed.form);
  else if (pressed.dataset.move) moveItem(root.querySelector("form[data-make]"), pressed.dataset.move);
});

root.addEventListener("change", (event) => {
  const form = event.target.closest("form[data-make]");
  if (!form) return;
  if ("pictures" in event.target.dataset) takePictures(form, event.target.files);
  else if (event.target.type === "file") takeFile(form, event.target.files[0]);
  else if (["template", "language"].includes(event.target.name)) beginOtherwise(form, event.target.name);
});

root.addEventListener("input", (event) => {
  const form = event.target.closest("form[data-make]");
  if (form && !["template", "language"].includes(event.target.name)) form.dataset.touched = "yes";
});

for (const name of ["dragover", "drop"])
  root.addEventListener(name, (event) => {
    const form = event.target.closest(".study-drop")?.closest("form[data-make]");
    if (!form) return;
    event.preventDefault();
    if (name === "drop" && event.target.closest(".study-drop").querySelector("[data-pictures]")) takePictures(form, event.dataTransfer.files);
    else if (name === "drop") takeFile(form, event.dataTransfer.files[0]);
  });
