/** Draw the portrait of a person as a card, with the sentences it cites below. Pure. */

import type { Words } from "../i18n/words";
import { cellsOf, cutLabel } from "../map/labels";
import { FONT } from "../map/paintLabels";
import { ACCENT, GROUND, INK, MUTED, type Theme } from "../map/palette";
import { itemsOf, type PortraitLine } from "../panel/portrait";
import { type Drawing, textWidth } from "./drawing";
import { element, escapeXml, SVG_NAMESPACE } from "./xml";

const WIDTH = 720;
const AIR = 40;
const LABEL_PX = 96;
const LINE_CELLS = 58;
const QUOTE_CELLS = 84;

export function cardOf(name: string, lines: readonly PortraitLine[], theme: Theme, words: Words): Drawing {
  const parts: string[] = [];
  const write = (text: string, x: number, y: number, px: number, fill: string, weight = 450): void => void parts.push(element("text", { x, y, "font-size": px, fill, "font-weight": weight }, escapeXml(text)));
  let y = AIR + 22;
  write(cutLabel(name, 40), AIR, y, 28, INK[theme], 650);
  y += 16;
  for (const line of lines) {
    y += 30;
    write(words.group(line.topic), AIR, y, 14, MUTED[theme]);
    for (const [index, row] of wrapped(textOf(line, words), LINE_CELLS).entries()) {
      if (index > 0) y += 22;
      write(row, AIR + LABEL_PX, y, 16, INK[theme]);
    }
  }
  y += 24;
  parts.push(element("rect", { x: AIR, y, width: WIDTH - 2 * AIR, height: 1, fill: MUTED[theme], opacity: 0.35 }));
  y += 6;
  for (const { number, fact } of itemsOf(lines)) {
    const quote = fact.evidence[0];
    y += 19;
    write(String(number), AIR, y, 12, ACCENT[theme], 650);
    write(cutLabel(quote?.text ?? fact.statement, QUOTE_CELLS - 14).replace(/\s+/g, " "), AIR + 24, y, 12, MUTED[theme]);
    const date = words.date(quote?.saidAt ?? fact.validAt);
    write(date, WIDTH - AIR - textWidth(date, 12), y, 12, MUTED[theme]);
  }
  y += 34;
  write(words.t("portrait.card", { when: words.date(new Date().toISOString()) }), AIR, y, 12, MUTED[theme]);
  const height = y + AIR - 12;
  const ground = element("rect", { width: WIDTH, height, fill: GROUND[theme] });
  const root = { xmlns: SVG_NAMESPACE, width: WIDTH, height, viewBox: `0 0 ${WIDTH} ${height}`, role: "img", "font-family": FONT };
  return { svg: `${element("svg", root, [element("title", {}, escapeXml(name)), ground, ...parts].join("\n"))}\n`, width: WIDTH, height };
}

/** Return a line as text, each thing with the number of its sentence. */
export function textOf({ phrases, more }: PortraitLine, words: Words): string {
  const said = phrases.map(({ lead, items }) => `${lead === null ? "" : `${lead} `}${words.list(items.map(({ name, number }) => `${name} [${number}]`))}`).join(" · ");
  return more > 0 ? `${said} ${words.t("portrait.more", { n: more })}` : said;
}

/** Break a text into rows of at most `cells`, between words, or between Chinese characters. */
export function wrapped(text: string, cells: number): string[] {
  const rows: string[] = [];
  let row = "";
  for (const word of text.match(/[\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFF00-\uFF60]|\S+?(?=[\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFF00-\uFF60]|\s|$)|\s+/gu) ?? []) {
    const longer = row + word;
    if (cellsOf(longer.trimEnd()) <= cells || row === "") row = longer;
    else {
      rows.push(row.trimEnd());
      row = word.trimStart();
    }
  }
  return [...rows, row.trimEnd()].filter((one) => one !== "").map((one) => cutLabel(one, cells));
}
