// One text out of those of several workers: each can be taken as a whole, or sentence by sentence, and changed by hand.

function takeOrAdd(pressed) {
  const named = pressed.closest("[data-merge]").dataset.merge;
  const field = pressed.form.querySelector(`textarea[data-field="${CSS.escape(named)}"]`);
  const before = field.value.trim();
  field.value = pressed.dataset.piece === "whole" || !before ? pressed.dataset.text : `${before} ${pressed.dataset.text}`;
  field.dispatchEvent(new Event("input", {bubbles: true}));
}

root.addEventListener("click", (event) => {
  const pressed = event.target.closest("button[data-piece]");
  if (pressed) takeOrAdd(pressed);
});
