// Gradio asks for each of about a hundred small files of its page by itself. Here they come in one: scripts become modules that
// an import map finds at the addresses they would have had, styles one sheet. A browser without import maps, or one that refuses
// this one, asks for the files as ever.
((modules, styles) => {
  if (!HTMLScriptElement.supports?.("importmap")) return;
  const folder = new URL("./", document.currentScript.src).href;
  const here = (text) => text.replaceAll("@assets/", folder);
  const imports = {};
  for (const [name, source] of Object.entries(modules)) {
    imports[folder + name] = URL.createObjectURL(new Blob([here(source)], { type: "text/javascript" }));
  }
  const element = (name, properties) => document.head.append(Object.assign(document.createElement(name), properties));
  element("script", { type: "importmap", textContent: JSON.stringify({ imports }) });
  // After the sheet of the page, which sets back what these set, and before the first module runs.
  document.addEventListener("readystatechange", () => element("style", { textContent: here(Object.values(styles).join("\n")) }), { once: true });
  // Gradio looks for a link before it asks for a file. These load nothing: one has no relation, the other is turned off.
  for (const name of Object.keys(modules)) element("link", { rel: "x-together", href: folder + name });
  for (const name of Object.keys(styles)) element("link", { disabled: true, rel: "stylesheet", href: folder + name });
})(MODULES, STYLES);
