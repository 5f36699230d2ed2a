/** Export the timeline: the page's own SVG with its computed styles inlined. */

import { GROUND, type Theme } from "../map/palette";
import { FONT } from "../map/paintLabels";
import type { Drawing } from "./drawing";
import { SVG_NAMESPACE } from "./xml";

const STYLES = ["fill", "fill-opacity", "stroke", "stroke-opacity", "stroke-width", "stroke-dasharray", "opacity", "font-size", "font-weight", "text-anchor", "text-decoration-line"];
const ELEMENTS_MAX = 20_000;

/** @returns null if there is no timeline, or if it is too large. */
export function timeDrawing(svg: SVGSVGElement | null, theme: Theme): Drawing | null {
  const drawn = svg?.querySelectorAll("*") ?? [];
  if (!svg || drawn.length > ELEMENTS_MAX) return null;
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const copies = copy.querySelectorAll("*");
  drawn.forEach((one, index) => {
    const look = getComputedStyle(one);
    const twin = copies[index] as SVGElement;
    for (const name of STYLES) {
      const value = look.getPropertyValue(name);
      if (value !== "") twin.setAttribute(name === "text-decoration-line" ? "text-decoration" : name, value);
    }
    for (const name of [...twin.getAttributeNames()]) if (/^(class|role|tabindex|aria-|data-)/.test(name)) twin.removeAttribute(name);
  });
  const [width, height] = [svg.width.baseVal.value, svg.height.baseVal.value];
  const ground = document.createElementNS(SVG_NAMESPACE, "rect");
  for (const [name, value] of Object.entries({ width, height, fill: GROUND[theme] })) ground.setAttribute(name, String(value));
  copy.prepend(ground);
  copy.setAttribute("viewBox", `0 0 ${width} ${height}`);
  copy.setAttribute("font-family", FONT);
  copy.setAttribute("font-size", "12");
  return { svg: `${new XMLSerializer().serializeToString(copy)}\n`, width, height };
}
