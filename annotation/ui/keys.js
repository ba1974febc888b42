// Keys of the review. They work only while the focus is inside the review and in no field, so nobody meets them unawares.
const BUTTONS = {a: "accept", s: "skip", b: "back", p: "put-back"};
const FIELDS = {e: "parse", r: "reason"};

function press(event) {
  const review = event.target.closest?.("#annotation-review");
  if (event.ctrlKey || event.altKey || event.metaKey || !review) return;
  const typing = event.target.closest("textarea, input, select, [contenteditable='true'], [role='listbox']");
  if (event.key === "Escape" && typing) {
    card()?.focus();
    return;
  }
  const key = event.key.toLowerCase();
  if (typing || event.shiftKey || event.repeat) return;
  const field = review.querySelector(`#annotation-${FIELDS[key]} textarea, #annotation-${FIELDS[key]} input`);
  const button = review.querySelector(`button#annotation-${BUTTONS[key]}`);
  if (!field && !button) return;
  event.preventDefault();
  field?.focus();
  button?.click();
}

// Several reviews may stand on one page: the one that was touched last is meant.
let touched = null;

function touch(event) {
  touched = event.target?.closest?.("#annotation-review") ?? touched;
}

function card() {
  return (touched?.isConnected ? touched : document).querySelector("#annotation-item [data-key]");
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
  for (const type of ["pointerdown", "focusin"]) document.addEventListener(type, touch, {capture: true});
}
