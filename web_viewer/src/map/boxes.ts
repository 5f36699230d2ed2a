/** Measure what is drawn ahead of the frame that draws it. */

import type { Core } from "cytoscape";

/** Elements that are measured between two looks at the clock. */
export const MEASURED_AT_ONCE = 100;

/** Measure each element as the next frame would before it draws, which is half of its time, and yield after some. */
export function* boxSteps(cy: Core): Generator<void, void> {
  const all = cy.elements();
  for (let start = 0; start < all.length; start += MEASURED_AT_ONCE) {
    for (const element of all.slice(start, start + MEASURED_AT_ONCE)) element.boundingBox();
    yield;
  }
}
