// Keys of the review. They work only while the focus is inside the review and in no field, so nobody meets them unawares.
const BUTTONS = {a: "accept", s: "skip", b: "back", p: "put-back"};
const FIELDS = {e: "parse", r: "reason"};

function press(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || !event.target.closest?.("#annotation-review")) return;
  const typing = event.target.closest("textarea, input, select, [contenteditable='true'], [role='listbox']");
  if (event.key === "Escape" && typing) {
    card()?.focus();
    return;
  }
  const key = event.key.toLowerCase();
  if (typing || event.shiftKey || event.repeat) return;
  const field = document.querySelector(`#annotation-${FIELDS[key]} textarea, #annotation-${FIELDS[key]} input`);
  const button = document.querySelector(`button#annotation-${BUTTONS[key]}`);
  if (!field && !button) return;
  event.preventDefault();
  field?.focus();
  button?.click();
}

function card() {
  return document.querySelector("#annotation-item [data-key]");
}

if (!window.parleyReview) {
  let known;
  const noteCard = () => {
    known = card()?.dataset.key;
  };
  const focusNewCard = () => {
    if (card() && card().dataset.key !== known) card().focus();
    noteCard();
  };
  window.parleyReview = {noteCard, focusNewCard};
  document.addEventListener("keydown", press);
}
