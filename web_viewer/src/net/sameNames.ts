/** Links between people whose memories have things of one name: separate memories, which share nothing. Pure. */

import type { GraphEdge, GraphNode } from "../protocol/frames";
import { SAME_NAME } from "../map/lineWords";
import { tieEdge } from "./netShown";

/** More links cannot be told apart. */
const LINKS_MAX = 300;
const NAMED_MAX = 3;
/** A name that many people have links everybody with everybody. */
const PEOPLE_MAX = 12;

/** @param nodes what this page has, which its key may see. */
export function sameNameLinks(nodes: Iterable<GraphNode>): GraphEdge[] {
  const people = new Map<string, string>();
  const named = new Map<string, { label: string; users: Set<string> }>();
  for (const { id, kind, label, user_id: user } of nodes) {
    if (kind === "User") people.set(user, id);
    if (kind !== "Entity") continue;
    const name = label.normalize("NFKC").toLowerCase();
    const known = named.get(name) ?? { label, users: new Set() };
    known.users.add(user);
    named.set(name, known);
  }
  const shared = new Map<string, { ends: [string, string]; names: string[] }>();
  for (const { label, users } of named.values()) {
    const ids = [...users].flatMap((user) => people.get(user) ?? []).sort();
    if (ids.length < 2 || ids.length > PEOPLE_MAX) continue;
    for (const [at, one] of ids.entries()) {
      for (const other of ids.slice(at + 1)) {
        const both = shared.get(`${one} ${other}`) ?? { ends: [one, other], names: [] };
        both.names.push(label);
        shared.set(`${one} ${other}`, both);
      }
    }
  }
  const strongest = [...shared.values()].sort((a, b) => b.names.length - a.names.length || (a.ends.join() < b.ends.join() ? -1 : 1)).slice(0, LINKS_MAX);
  return strongest.map(({ ends: [source, target], names }) => ({ ...tieEdge(source, target, names.length), id: `${SAME_NAME}${source} ${target}`, relation: names.slice(0, NAMED_MAX).join(" · ") + (names.length > NAMED_MAX ? " …" : "") }));
}
