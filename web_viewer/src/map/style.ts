/** Stylesheet of the main canvas; `paintLabels` draws the labels. */

import type { StylesheetJson } from "cytoscape";
import { ACCENT, GROUND, INK, KINDS, MUTED, PREDICATES, type Theme, TYPES } from "./palette";

export function stylesheet(theme: Theme): StylesheetJson {
  return [...nodeRules(theme), ...edgeRules(theme), ...stateRules(theme)];
}

function nodeRules(theme: Theme): StylesheetJson {
  return [
    {
      selector: "node",
      style: {
        width: "data(w)",
        height: "data(h)",
        shape: "hexagon",
        "background-color": INK[theme],
        "border-width": 2,
        "border-color": GROUND[theme],
        "overlay-opacity": 0,
      },
    },
    ...Object.entries(KINDS).map(([kind, look]) => ({
      selector: `node[kind = "${kind}"]`,
      style: { shape: look.shape, "background-color": look.colour[theme] },
    })),
    ...Object.entries(TYPES).map(([type, colour]) => ({ selector: `node[type = "${type}"]`, style: { "background-color": colour[theme] } })),
    { selector: "node[tint]", style: { "background-color": "data(tint)" } },
    { selector: 'node[kind = "Community"]', style: { "background-opacity": 0.85, "border-width": 0 } },
    { selector: 'node[kind = "User"]', style: { "border-width": 0 } },
    // The badge of folded scenes looks like a stack of them.
    { selector: 'node[kind = "Scenes"]', style: { shape: "round-rectangle", "background-color": KINDS.Scene?.colour[theme] ?? INK[theme], "border-width": 4, "border-style": "double" } },
    { selector: 'node[kind = "More"]', style: { shape: "round-rectangle", "background-color": MUTED[theme], "border-width": 4, "border-style": "double" } },
  ];
}

function edgeRules(theme: Theme): StylesheetJson {
  return [
    {
      selector: "edge",
      style: {
        width: "data(w)",
        "curve-style": "straight",
        // Facts are above the mentions that run along them, so that clicks reach the fact.
        "z-index": 2,
        "line-color": INK[theme],
        opacity: 0.78,
        "arrow-scale": 0.85,
        "target-distance-from-node": 2,
        "overlay-opacity": 0,
        // `MapCanvas.edgeNear` finds them when the pointer rests; Cytoscape would compare all at each move of it.
        events: "no",
      },
    },
    ...Object.entries(PREDICATES).map(([predicate, look]) => ({
      selector: `edge[predicate = "${predicate}"]`,
      style: {
        "line-color": look.colour[theme],
        "line-style": look.line,
        "target-arrow-color": look.colour[theme],
        "mid-target-arrow-color": look.colour[theme],
        "target-arrow-shape": look.arrow,
      },
    })),
    { selector: 'edge[predicate = "RELATES_TO"]', style: { opacity: 0.6 } },
    { selector: 'edge[predicate = "TIES"]', style: { opacity: 0.35, "z-index": 1, "line-color": MUTED[theme] } },
    { selector: 'edge[predicate = "CAUSED_BY"]', style: { opacity: 0.55 } },
    { selector: 'edge[predicate = "MENTIONED"]', style: { opacity: 0.38, "z-index": 1 } },
    { selector: "edge.unsure", style: { "line-style": "dashed", "target-arrow-fill": "hollow" } },
    // The bar across the middle marks a closed fact.
    { selector: "edge.closed", style: { opacity: 0.34, "mid-target-arrow-shape": "tee" } },
    { selector: "edge.parallel", style: { "curve-style": "bezier", "control-point-step-size": 26, events: "yes" } },
  ];
}

function stateRules(theme: Theme): StylesheetJson {
  return [
    { selector: "node.dim", style: { opacity: 0.18 } },
    { selector: "edge.dim", style: { opacity: 0.07 } },
    { selector: "edge.lit", style: { opacity: 1 } },
    { selector: "edge.closed.lit", style: { opacity: 0.6 } },
    { selector: "node.sel", style: { "border-width": 3, "border-color": INK[theme], "underlay-color": ACCENT[theme], "underlay-opacity": 0.28, "underlay-padding": 7 } },
    { selector: "edge.sel", style: { opacity: 1, "underlay-color": ACCENT[theme], "underlay-opacity": 0.3, "underlay-padding": 5 } },
    { selector: "node.trail", style: { "border-width": 3, "border-color": ACCENT[theme] } },
    { selector: "edge.trail", style: { opacity: 1, "underlay-color": ACCENT[theme], "underlay-opacity": 0.35, "underlay-padding": 4 } },
  ];
}
