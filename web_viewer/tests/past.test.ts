import { describe, expect, it } from "vitest";
import { factCypher, literal, thingCypher } from "../src/panel/asCypher";

describe("the chosen thing as Cypher", () => {
  it("names the tenant, the type and the id", () => {
    expect(factCypher("lab", { id: "f1", predicate: "PREFERS" })).toBe("MATCH (subject)-[fact:PREFERS {tenant: 'lab', id: 'f1'}]->(object)\nRETURN subject, fact, object");
    expect(thingCypher("lab", { id: "n1" })).toContain("(thing:Memory {tenant: 'lab', id: 'n1'})");
  });

  it.each(["it's", "back\\", "\\'", "a\nb", "'}) DETACH DELETE n //", "茶"])("quotes %j so that it stays a text", (text) => {
    const inside = literal(text).slice(1, -1);
    expect(inside.replace(/\\./g, "")).not.toMatch(/['\\\n\r]/);
  });

  it("leaves a type out that could be more than a name", () => {
    expect(factCypher("t", { id: "f", predicate: "X]->() DELETE n //" })).toMatch(/^MATCH \(subject\)-\[fact \{/);
  });
});
