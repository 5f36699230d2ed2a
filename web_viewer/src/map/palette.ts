/** Colours, shapes and lines of the map; colour is never the only difference. */

import type { Css } from "cytoscape";
import { GROUPS, PREDICATES as VOCABULARY } from "../protocol/vocabulary";

export type Theme = "light" | "dark";

export interface KindLook {
  shape: Css.NodeShape;
  colour: Record<Theme, string>;
}

export interface PredicateLook {
  line: "solid" | "dotted" | "dashed";
  arrow: Css.ArrowShape;
  colour: Record<Theme, string>;
}

export const GROUND: Record<Theme, string> = { light: "#FBFBF9", dark: "#14181F" };
export const INK: Record<Theme, string> = { light: "#1B1F24", dark: "#E9ECF0" };
export const MUTED: Record<Theme, string> = { light: "#5B6470", dark: "#9AA3AF" };
export const ACCENT: Record<Theme, string> = { light: "#0072B2", dark: "#56B4E9" };

export const KINDS: Record<string, KindLook> = {
  User: { shape: "star", colour: { light: "#0072B2", dark: "#56B4E9" } },
  Agent: { shape: "pentagon", colour: { light: "#7B2D8B", dark: "#E36BC3" } },
  Entity: { shape: "ellipse", colour: { light: "#B36B00", dark: "#E69F00" } },
  Scene: { shape: "round-rectangle", colour: { light: "#00795A", dark: "#2FBF95" } },
};

/** Looks of the predicates of the vocabulary, which gives one to each. */
export const PREDICATES: Record<string, PredicateLook> = Object.fromEntries(
  Object.entries(VOCABULARY).map(([name, { look }]) => [name, { line: look.line as PredicateLook["line"], arrow: look.arrow as Css.ArrowShape, colour: { light: look.light, dark: look.dark } }]),
);

/** Colours of communities; neighbouring communities get different ones, and each is labelled with its name. */
export const COMMUNITIES: Record<Theme, readonly string[]> = {
  light: ["#0072B2", "#B36B00", "#00795A", "#7B2D8B", "#C44900", "#5B6470", "#8A6D00", "#B0306A"],
  dark: ["#56B4E9", "#E69F00", "#2FBF95", "#E36BC3", "#FF7A3D", "#AAB4C0", "#E0CF5A", "#C5A3FF"],
};

/** Rings around what a question recalled. */
export const RECALLED: Record<Theme, string> = { light: "#A8005C", dark: "#FFC24D" };

/** Colours of things by type; the icon in them says the same. */
export const TYPES: Record<string, Record<Theme, string>> = {
  person: { light: "#0072B2", dark: "#56B4E9" },
  place: { light: "#006E7F", dark: "#4DC4D6" },
  organization: { light: "#5B6470", dark: "#AAB4C0" },
  work: { light: "#7B2D8B", dark: "#E36BC3" },
  animal: { light: "#8A6D00", dark: "#E0CF5A" },
  food: { light: "#A0522D", dark: "#F0A875" },
  activity: { light: "#3B7A2A", dark: "#8FD06F" },
  time: { light: "#5B6470", dark: "#AAB4C0" },
  topic: { light: "#5A4FCF", dark: "#B3A8FF" },
  avoid: { light: "#B0306A", dark: "#FF9EC4" },
};

/** Includes folded communities. */
const OTHER_KIND: KindLook = { shape: "hexagon", colour: { light: "#5B6470", dark: "#9AA3AF" } };
/** Includes edges that represent several, and predicates that only a newer service knows. */
const OTHER_PREDICATE: PredicateLook = { line: "solid", arrow: "none", colour: { light: "#6B7280", dark: "#9AA0A6" } };

export function kindLook(kind: string): KindLook {
  // A badge stands for scenes.
  return KINDS[kind === "Scenes" ? "Scene" : kind] ?? OTHER_KIND;
}

/** Return the colour of a node. @param type of a thing, as `thingTypes` tells it. */
export function nodeColour(kind: string, type: string | undefined, theme: Theme): string {
  return TYPES[type ?? ""]?.[theme] ?? kindLook(kind).colour[theme];
}

export function predicateLook(predicate: string): PredicateLook {
  return PREDICATES[predicate] ?? OTHER_PREDICATE;
}

/** Return the colour of a group of facts, for its sector. */
export function groupColour(group: string, theme: Theme): string {
  return GROUPS[group]?.look[theme] ?? MUTED[theme];
}
