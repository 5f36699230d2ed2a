/** The chosen thing or fact as a Cypher statement, to paste into Neo4j Browser or any driver. Pure. */

import type { GraphEdge, GraphNode } from "../protocol/frames";

/** Quoted so that no text can end the literal, whatever it holds. */
export function literal(text: string): string {
  return `'${text.replace(/\\/g, "\\\\").replace(/'/g, "\\'").replace(/\n/g, "\\n").replace(/\r/g, "\\r")}'`;
}

/** A name is taken as it is only when it can be nothing else. */
function typed(predicate: string): string {
  return /^[A-Z][A-Z_]*$/.test(predicate) ? `:${predicate}` : "";
}

export function factCypher(tenant: string, fact: Pick<GraphEdge, "id" | "predicate">): string {
  return `MATCH (subject)-[fact${typed(fact.predicate)} {tenant: ${literal(tenant)}, id: ${literal(fact.id)}}]->(object)\nRETURN subject, fact, object`;
}

export function thingCypher(tenant: string, node: Pick<GraphNode, "id">): string {
  return `MATCH (thing:Memory {tenant: ${literal(tenant)}, id: ${literal(node.id)}})\nRETURN thing`;
}
