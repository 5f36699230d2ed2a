// @vitest-environment happy-dom
import cytoscape from "cytoscape";
import { describe, expect, it } from "vitest";
import { boxSteps, MEASURED_AT_ONCE } from "../src/map/boxes";

describe("boxSteps", () => {
  it("measures every element, in steps", () => {
    const count = 3 * MEASURED_AT_ONCE;
    const cy = cytoscape({ headless: true, styleEnabled: true, elements: Array.from({ length: count }, (_, n) => ({ data: { id: `n${n}` }, position: { x: n, y: 0 } })) });
    cy.nodes().positions((node) => ({ x: node.position().x, y: 50 }));
    const measured = (): number => cy.elements().filter((one) => (one as unknown as [{ _private: { bbCache: unknown } }])[0]._private.bbCache !== null).length;
    cy.elements().forEach((one) => void (one as unknown as { dirtyBoundingBoxCache(): void }).dirtyBoundingBoxCache());
    const after: number[] = [];
    for (const _ of boxSteps(cy)) after.push(measured());
    expect(after).toEqual([MEASURED_AT_ONCE, 2 * MEASURED_AT_ONCE, count]);
  });
});
