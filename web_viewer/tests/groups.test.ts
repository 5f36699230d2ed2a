import { describe, expect, it } from "vitest";
import { GROUP_ORDER, groupOf, thingTypes } from "../src/graph/groups";
import { Words } from "../src/i18n/words";
import { listRows } from "../src/list/tree";
import { lineWord } from "../src/map/lineWords";
import { radialLayout } from "../src/map/radial";
import { inSector } from "../src/map/place";
import { TYPE_PATHS } from "../src/map/typeIcons";
import { ENTITY_TYPES } from "../src/protocol/vocabulary";
import { countBy } from "../src/view/filters";
import { aNode, anEdge, byId } from "./builders";

const related = { predicate: "RELATES_TO", category: "personal" };
const FACTS = [
  { group: "people", type: null, fact: { ...related, relation: "cousin", category: "relationships" } },
  { group: "people", type: "person", fact: { ...related, relation: "met on the ferry" } },
  { group: "work", type: "place", fact: { ...related, relation: "works at", category: "work" } },
  { group: "work", type: "organization", fact: { ...related, relation: "invoices" } },
  { group: "places", type: null, fact: { ...related, relation: "lives in" } },
  { group: "places", type: "place", fact: { ...related, relation: "去过" } },
  { group: "events", type: "work", fact: { ...related, relation: "watched" } },
  { group: "events", type: "activity", fact: { ...related, relation: "took part in" } },
  { group: "has", type: "animal", fact: { ...related, relation: "has" } },
  { group: "cares", type: "activity", fact: { ...related, relation: "decision", category: "goals" } },
  { group: "likes", type: "person", fact: { predicate: "PREFERS" } },
  { group: "dislikes", type: "food", fact: { predicate: "DISLIKES", statement: "Ann dislikes coriander." } },
  { group: "avoids", type: "food", fact: { predicate: "DISLIKES", statement: "Ann is allergic to hazelnuts." } },
  { group: "avoids", type: "food", fact: { predicate: "DISLIKES", statement: "安对花生过敏。" } },
  { group: "avoids", type: "food", fact: { ...related, relation: "allergic to" } },
] as const;

describe("the groups of facts", () => {
  it.each(FACTS)("put $fact.relation $fact.statement under $group", ({ group, type, fact }) => {
    expect(groupOf({ relation: null, statement: null, category: null, ...fact }, { entity_type: type })).toBe(group);
  });

  const nodes = byId([aNode("u", { kind: "User" }), ...FACTS.map(({ type }, at) => aNode(`t${at}`, { entity_type: type }))]);
  const edges = byId(FACTS.map(({ fact }, at) => anEdge(`f${at}`, "u", `t${at}`, fact)));
  const words = new Words("en");

  it("are the sectors of the map, the entries of the legend and the headings of the list", () => {
    const { points, sectors } = radialLayout(nodes.values(), edges.values());
    expect(sectors.map((sector) => sector.key)).toEqual(GROUP_ORDER);
    const counts = countBy({ nodes, edges });
    const rows = listRows({ nodes, edges }, words, new Set());
    for (const [at, { group }] of FACTS.entries()) {
      const sector = sectors.find((one) => one.key === group)!;
      expect([at, inSector(sector, points.get(`t${at}`)!)]).toEqual([at, true]);
      expect(counts.get(`about:${group}`)).toBe(FACTS.filter((one) => one.group === group).length);
      const row = rows.findIndex((one) => one.id === `f${at}`);
      const head = rows.slice(0, row).findLast((one) => one.depth === 1);
      expect(head?.label.toLowerCase()).toBe(words.group(group).toLowerCase());
    }
  });

  it("have names in both languages, of which none is the same as another's", () => {
    for (const lang of ["en", "zh"] as const) expect(new Set(GROUP_ORDER.map((key) => new Words(lang).group(key))).size).toBe(GROUP_ORDER.length);
    expect(new Words("zh").t("predicates")).not.toBe(new Words("zh").group("people"));
  });

  it("say on the line what the relation is, and that something must be avoided", () => {
    const said = (id: string): string | null => lineWord(edges.get(id)!, nodes, words);
    expect([said("f0"), said("f10"), said("f11"), said("f12")]).toEqual(["cousin", null, null, "Avoids"]);
    const tie = anEdge("t:a b", "u", "v", { predicate: "TIES", relation: "3" });
    expect([lineWord(tie, nodes, words), lineWord({ ...tie, id: "n:u v", relation: "tea" }, nodes, words)], "a number is no relation").toEqual([null, "tea"]);
  });

  it("give each thing an icon: by its type, as a person if it is a relative, as a warning if it must be avoided", () => {
    const types = thingTypes({ nodes, edges });
    expect([types.get("t0"), types.get("t5"), types.get("t12"), types.get("u")]).toEqual(["person", "place", "avoid", undefined]);
    expect(Object.keys(ENTITY_TYPES).filter((type) => !(type in TYPE_PATHS))).toEqual([]);
  });
});
