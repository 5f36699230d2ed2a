import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { en, zh } from "../src/i18n/messages";
import { fill, languageOf, Words } from "../src/i18n/words";

const SOURCES = readdirSync("src", { recursive: true, encoding: "utf-8" })
  .filter((name) => /\.(ts|vue)$/.test(name))
  .map((name) => [name, readFileSync(`src/${name}`, "utf-8")] as const);

describe("the catalogues", () => {
  it("have the same keys in both languages", () => {
    expect(Object.keys(zh).sort()).toEqual(Object.keys(en).sort());
  });

  it("have the same blanks in both languages", () => {
    const blanks = (text: string): string[] => [...new Set(Array.from(text.matchAll(/\{(\w+)/g), (found) => found[1] as string))].sort();
    for (const key of Object.keys(en) as (keyof typeof en)[]) expect([key, blanks(zh[key])]).toEqual([key, blanks(en[key])]);
  });

  it("hold no word that nobody says", () => {
    const all = SOURCES.filter(([name]) => !name.startsWith("i18n")).map(([, text]) => text).join("\n");
    const built = /^(about|did|export|feed|since|kind1?|pred|rel|back|role|sector|code|tab|state|why|trouble|overview|type|reader)\./;
    for (const key of Object.keys(en)) if (!built.test(key)) expect([key, all.includes(`"${key}"`) || all.includes(`'${key}'`)]).toEqual([key, true]);
  });
});

describe("templates", () => {
  it.each(SOURCES.filter(([name]) => name.endsWith(".vue")))("%s hold no words of their own and no HTML from data", (_, text) => {
    const template = text.slice(text.indexOf("<template>"), text.lastIndexOf("</template>"));
    const written = template.replace(/\{\{[\s\S]*?\}\}/g, "").replace(/<(?:[^"'>]|"[^"]*"|'[^']*')*>/g, "").replace(/Mnemograph|[?/·()]/g, "");
    expect(written.trim()).toBe("");
    expect(text).not.toMatch(/v-html|innerHTML|outerHTML|insertAdjacentHTML/);
  });

  it.each(SOURCES)("%s names no other host", (_, text) => {
    // Names of XML vocabularies look like addresses, and nobody asks them.
    expect(text).not.toMatch(/https?:\/\/(?!127\.0\.0\.1|www\.w3\.org\/2000\/svg"|graphml\.graphdrawing\.org\/xmlns")/);
  });
});

describe("filling in", () => {
  it("picks one or many by number", () => {
    expect([1, 2].map((n) => fill("{n} {n|thing|things}", { n }))).toEqual(["1 thing", "2 things"]);
  });

  it("says how long ago in both languages", () => {
    const now = Date.parse("2026-11-20T12:00:00Z");
    expect(new Words("en").ago("2026-11-20T11:57:00Z", now)).toBe("3 minutes ago");
    expect(new Words("zh").ago("2026-11-20T11:57:00Z", now)).toBe("3分钟前");
    expect(new Words("zh").ago("2026-11-20T11:59:59Z", now)).toBe("刚刚");
  });

  it("shows a predicate of a newer service as it is", () => {
    expect(new Words("en").predicate("WORKS_WITH")).toBe("works with");
  });

  it("takes the browser's language when it is Chinese, else English", () => {
    expect([["zh-TW"], ["de"], []].map((wanted) => languageOf(wanted))).toEqual(["zh", "en", "en"]);
  });
});
