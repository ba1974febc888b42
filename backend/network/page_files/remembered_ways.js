// The way to each component, as the places of its ancestors among their siblings. A component that moved is searched again.
const parleyWays = new Map();
function parleyWay(node, id) {
  if (node.id === id) return [];
  for (const [place, child] of (node.children ?? []).entries()) {
    const way = parleyWay(child, id);
    if (way) return [place, ...way];
  }
  return null;
}
function SEARCH(root, id) {
  const follow = (way) => way?.reduce((node, place) => node?.children?.[place], root);
  const known = follow(parleyWays.get(id));
  if (known?.id === id) return known;
  const way = parleyWay(root, id);
  if (way) parleyWays.set(id, way);
  return way && follow(way);
}
