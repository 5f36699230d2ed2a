/** Distinguish scenes of the same name by their day or time. Pure. */

import type { Words } from "../i18n/words";
import type { GraphNode } from "../protocol/frames";
import type { Shown } from "../view/filters";
import { withNote } from "./labels";

/** Add the day to the labels of scenes that share a name, or the time of day where they share the day too. */
export function withTimes(shown: Shown, words: Words): Shown {
  const alike = new Map<string, GraphNode[]>();
  for (const node of shown.nodes.values()) {
    if (node.kind !== "Scene") continue;
    const scenes = alike.get(node.label);
    if (scenes) scenes.push(node);
    else alike.set(node.label, [node]);
  }
  const dated = new Map<string, GraphNode>();
  for (const scenes of alike.values()) {
    if (scenes.length < 2) continue;
    const days = scenes.map((node) => words.date(node.first_seen));
    const scenesOn = new Map<string, number>();
    for (const day of days) scenesOn.set(day, (scenesOn.get(day) ?? 0) + 1);
    for (const [index, node] of scenes.entries()) {
      const day = days[index] as string;
      const when = scenesOn.get(day) === 1 ? day : words.time(Date.parse(node.first_seen));
      dated.set(node.id, { ...node, label: withNote(node.label, when) });
    }
  }
  if (dated.size === 0) return shown;
  return { ...shown, nodes: new Map([...shown.nodes].map(([id, node]) => [id, dated.get(id) ?? node])) };
}
