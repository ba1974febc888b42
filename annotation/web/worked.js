// How long somebody works on a task: while its page is in sight, and they do something in it or pause for a short time. It goes to
// the server with what is saved; what has not gone yet stays in this browser, so that closing the page loses nothing of it.

const LONGEST_PAUSE = 120000; // ms without a key, the pointer or scrolling that count as reading and thinking
const ACTIONS = ["keydown", "input", "pointerdown", "pointermove", "touchmove", "wheel", "scroll"];

function setUpWorked(owner, key) {
  const slot = `parley-worked ${owner} ${key}`;
  let unsent = Number(recall(slot) ?? 0); // ms
  let sending = 0;
  let away = document.hidden;
  let counted = Date.now(); // up to when the time is in `unsent`
  let acted = counted;

  function count() {
    const now = Date.now();
    // What is done inside an embedded page is not seen here.
    const end = document.activeElement?.localName === "iframe" ? now : Math.min(now, acted + LONGEST_PAUSE);
    if (!away) unsent += Math.max(0, end - counted);
    counted = now;
  }

  function keep() {
    count();
    remember(slot, String(unsent + sending));
  }

  function act() {
    count();
    acted = counted;
  }

  function look() {
    keep();
    away = document.hidden;
    acted = counted;
  }

  // The milliseconds to be sent now; `settle` puts them back if they did not arrive.
  function take() {
    count();
    const taken = unsent;
    unsent = 0;
    sending += taken;
    return taken;
  }

  function settle(taken, arrived) {
    sending -= taken;
    if (!arrived) unsent += taken;
    keep();
  }

  return {act, keep, look, take, settle, forget: () => forget(slot)};
}

for (const name of ACTIONS) document.addEventListener(name, () => task?.worked.act(), {capture: true, passive: true});
document.addEventListener("visibilitychange", () => task?.worked.look());
window.addEventListener("pagehide", () => task?.worked.keep());
