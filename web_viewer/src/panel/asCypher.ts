/** The selected node or fact as a Cypher statement, for Neo4j Browser or a driver. Pure. */

import type { GraphEdge, GraphNode } from "../protocol/frames";

/** Quote a string so that no text can end the literal. */
export function literal(text: string): string {
  return `'${text.replace(/\\/g, "\\\\").replace(/'/g, "\\'").replace(/\n/g, "\\n").replace(/\r/g, "\\r")}'`;
}

/** Quote a name unless it is a plain identifier. */
function typed(predicate: string): string {
  return /^[A-Z][A-Z_]*$/.test(predicate) ? `:${predicate}` : "";
}

export function factCypher(tenant: string, fact: Pick<GraphEdge, "id" | "predicate">): string {
  return `MATCH (subject)-[fact${typed(fact.predicate)} {tenant: ${literal(tenant)}, id: ${literal(fact.id)}}]->(object)\nRETURN subject, fact, object`;
}

export function thingCypher(tenant: string, node: Pick<GraphNode, "id">): string {
  return `MATCH (thing:Memory {tenant: ${literal(tenant)}, id: ${literal(node.id)}})\nRETURN thing`;
}
