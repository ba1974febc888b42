// The Plotly of figures in a plane, a third of the whole one, which comes where a figure needs more.
import "./SMALL";
const PLANE = new Set("bar box contour heatmap histogram histogram2d histogram2dcontour image pie scatter violin".split(" "));
const small = window.Plotly;
let whole;
const fitting = async (data) => {
  if (!whole && data.every((trace) => PLANE.has(trace.type ?? "scatter"))) return small;
  whole ??= import("./WHOLE").then(() => window.Plotly);
  return whole;
};
export default {
  react: async (node, data, ...others) => (await fitting(data)).react(node, data, ...others),
  Plots: { resize: (node) => node._fullLayout && window.Plotly.Plots.resize(node) },
};
