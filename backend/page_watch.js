// Tells the parts of the page that the server was started again: it then knows nothing of what they show.
if (!window.parleyWatch) {
  const EVERY = 20000, DOWN = 2000; // ms between two looks; the second while the server cannot be reached
  let server = null;
  let next = 0;
  window.parleyWatch = async () => {
    clearTimeout(next);
    const reply = document.hidden ? null : await fetch(new URL("gradio_api/app_id", location.href)).catch(() => null);
    clearTimeout(next);
    next = setTimeout(window.parleyWatch, reply?.ok || document.hidden ? EVERY : DOWN);
    if (!reply?.ok) return;
    const now = await reply.text();
    const restarted = server !== null && server !== now;
    server = now;
    if (restarted) window.dispatchEvent(new Event("parley-restarted"));
  };
  window.parleyWatch();
  document.addEventListener("visibilitychange", () => document.hidden || window.parleyWatch());
}
