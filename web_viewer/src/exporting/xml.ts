/** Write stored text as XML text: never as markup, and without characters that XML does not allow. */

/** Characters that XML 1.0 does not allow, including unpaired surrogates. */
const FORBIDDEN = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;
const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;" };

export const SVG_NAMESPACE = "http://www.w3.org/2000/svg";
export const GRAPHML_NAMESPACE = "http://graphml.graphdrawing.org/xmlns";

export function escapeXml(text: string): string {
  return text.replace(FORBIDDEN, "\uFFFD").replace(/[&<>"']/g, (sign) => ENTITIES[sign] as string);
}

/** Return one element; `inside` is XML already. */
export function element(name: string, attributes: Readonly<Record<string, string | number | null | undefined>>, inside = ""): string {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([key, value]) => ` ${key}="${escapeXml(String(value))}"`)
    .join("");
  return inside === "" ? `<${name}${written}/>` : `<${name}${written}>${inside}</${name}>`;
}
