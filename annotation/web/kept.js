// What somebody types into a form and has not sent, such as a lead's feedback, stays in this browser until it is sent: a
// reload, another page or the end of the session do not lose it. (Answers to tasks are kept on the server: see drafts.js.)

let owner = "";

function keptPlace(form) {
  return `parley-typed ${owner} ${form.dataset.call} ${form.dataset.asked}`;
}

function lines(form) {
  return [...form.querySelectorAll("textarea[name], input[type=text][name]")];
}

function finals(form) {
  return [...form.querySelectorAll(".study-final [data-field]")];
}

function typedIn(form) {
  const fields = Object.fromEntries(lines(form).map((line) => [line.name, line.value]));
  return JSON.stringify({fields, final: Object.fromEntries(finals(form).map((field) => [field.dataset.field, valueOf(field)]))});
}

function keepTyped(form) {
  const now = typedIn(form);
  if (now === form.parleyBegan) forget(keptPlace(form));
  else remember(keptPlace(form), now);
}

function restoreTyped(form) {
  form.parleyBegan = typedIn(form);
  const kept = recall(keptPlace(form));
  if (kept === null || kept === form.parleyBegan) return;
  const {fields, final} = JSON.parse(kept);
  for (const line of lines(form)) if (line.name in fields) line.value = fields[line.name];
  for (const field of finals(form)) if (field.dataset.field in final) setValue(field, final[field.dataset.field]);
  const changed = (names, now, before) => names.filter((name) => JSON.stringify(now[name]) !== JSON.stringify(before[name]));
  const began = JSON.parse(form.parleyBegan);
  const open = (element) => {
    for (let fold = element?.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  };
  for (const name of changed(Object.keys(fields), fields, began.fields)) open(lines(form).find((line) => line.name === name));
  for (const name of changed(Object.keys(final), final, began.final)) open(finals(form).find((field) => field.dataset.field === name));
  form.querySelector(".study-said").textContent = translate("What you had typed here is back; it is not sent yet.");
}

function setUpKept() {
  root.querySelectorAll("form[data-call]").forEach(restoreTyped);
}
