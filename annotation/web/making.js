// Before a study: the example to try, and a study made here. Files are read in the browser and sent as text.

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
  const leave = plainButton("Leave the example", () => toTheDoor());
  bar.append("This is an example to try; nothing is kept. ", as("worker", "You as a worker"), " ", as("lead", "You as a lead"), " ", leave);
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

async function toMaking(asked = {}) {
  const reply = await call("study_making", asked);
  if (!reply.ok) return tell(reply.message, true);
  show(reply.html);
  preview(root.querySelector("form[data-make]"));
}

function drafted(form) {
  return {...Object.fromEntries([...new FormData(form)].filter(([, value]) => typeof value === "string")), ending: form.dataset.ending};
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
}

async function takeFile(form, file) {
  if (!file) return;
  form.dataset.ending = (file.name.match(/\.[^.]+$/)?.[0] ?? "").toLowerCase();
  form.elements.items.value = await file.text();
  form.querySelector("[data-dropped]").textContent = file.name;
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
  news.append(`The study is in ${reply.folder}. Add people below.`);
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
});

root.addEventListener("change", (event) => {
  const form = event.target.closest("form[data-make]");
  if (!form) return;
  if (event.target.type === "file") takeFile(form, event.target.files[0]);
  else if (event.target.name === "template") toMaking({template: event.target.value});
});

for (const name of ["dragover", "drop"])
  root.addEventListener(name, (event) => {
    const form = event.target.closest(".study-drop")?.closest("form[data-make]");
    if (!form) return;
    event.preventDefault();
    if (name === "drop") takeFile(form, event.dataTransfer.files[0]);
  });
