// The events of each component, collected once for a list of functions; Gradio goes through the whole list for each component.
const parleyEvents = new WeakMap();
function parleyEventsOf(functions, id) {
  const { length } = functions;
  let known = parleyEvents.get(functions);
  if (known?.length !== length) {
    known = { length, events: new Map() };
    for (const { targets } of functions) {
      for (const [component, event] of new Map([...targets].reverse())) {
        if (!known.events.has(component)) known.events.set(component, []);
        if (event) known.events.get(component).push(event);
      }
    }
    parleyEvents.set(functions, known);
  }
  return [...(known.events.get(id) ?? [])];
}
