import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import * as correcting from "../src/i18n/correctWords";
import { addWords } from "../src/i18n/messages";
import * as nowing from "../src/i18n/nowWords";
import * as reviewing from "../src/i18n/reviewWords";
import * as watching from "../src/i18n/ambientWords";
import * as portraying from "../src/i18n/portraitWords";
import * as taking from "../src/i18n/exportWords";
import { fill, LANGS, languageOf, Words } from "../src/i18n/words";

const LATE = [correcting, nowing, reviewing, taking, portraying, watching];
LATE.forEach(addWords);
const { en, zh } = LANGS;

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
    const built = /^(sentence|film|portrait|ambient|did|export|feed|now|review|since|kind1?|pred|rel|back|role|code|tab|state|why|trouble|overview|type|reader)\./;
    for (const key of Object.keys(en)) if (!built.test(key)) expect([key, all.includes(`"${key}"`) || all.includes(`'${key}'`)]).toEqual([key, true]);
  });
});

describe("the texts of parts that are loaded late", () => {
  /** Return the sources that the page imports at once. */
  function early(): Map<string, string> {
    const sources = new Map(SOURCES);
    const found = new Map<string, string>();
    const waiting = ["main.ts"];
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      const text = sources.get(name) ?? sources.get((name = `${name}.ts`));
      if (text === undefined || found.has(name)) continue;
      found.set(name, text);
      for (const [, at] of text.matchAll(/^(?:import|export) (?!type\b)[^"]*from "(\.[^"]+)";/gm)) waiting.push(join(dirname(name), at as string));
    }
    return found;
  }

  it("are not said, nor loaded, by what is loaded at once", () => {
    const sources = early();
    expect([...sources.keys()]).toEqual(expect.arrayContaining(["App.vue", "panel/DetailsPanel.vue", "i18n/messages.ts"]));
    expect([...sources.keys()].filter((name) => /(correct|now|review)Words/.test(name))).toEqual([]);
    const late = LATE.flatMap((one) => Object.keys(one.en));
    for (const [name, text] of sources) expect([name, late.filter((key) => text.includes(`"${key}"`) || text.includes(`'${key}'`))]).toEqual([name, []]);
  });
});

describe("the words of the catalogue", () => {
  it.each([
    ["act.veil", "Hide", "隐藏"],
    ["export.title", "Share or export", "分享或导出"],
    ["act.ego", "Focus on this", "聚焦于此"],
    ["map.tidy", "Tidy up", "整理"],
    ["correct.on", "Edit mode: your corrections override what was learned.", "编辑模式：你的更正优先于学到的内容。"],
    ["correct.confirm", "Confirm", "确认"],
    ["correct.pin", "Pin", "置顶"],
    ["correct.reject", "Reject", "否定"],
    ["correct.merge", "Merge with …", "合并……"],
    ["panel.valid", "True since", "成立自"],
    ["panel.invalid", "True until", "成立至"],
    ["panel.known", "Told on", "告知时间"],
    ["panel.recorded", "Stored on", "存入时间"],
    ["panel.reader", "Extracted by", "提取者"],
    ["reader.rules", "built-in rules", "内置规则"],
    ["panel.inworld", "When it was true", "何时成立"],
    ["panel.inmemory", "When it was learned", "何时得知"],
    ["categories", "Topic", "主题"],
    ["state.kept", "Saved offline {at}", "已离线保存 {at}"],
    ["state.all", "{n} {n|thing|things}, {m} {m|link|links}", "{n} 项内容，{m} 条关联"],
    ["list.confidence", "Certainty", "可信度"],
    ["act.path", "Path from here …", "以此为起点"],
    ["panel.failed", "The evidence could not be loaded: {why}", "无法加载依据：{why}"],
    ["kind.Community", "Topic groups", "主题群"],
    ["kind.Entity", "Things", "事物"],
    ["kind1.Entity", "Thing", "事物"],
    ["reader.caller", "the agent", "智能体"],
  ] as const)("say %s plainly in both languages", (key, english, chinese) => {
    expect([en[key], zh[key]]).toEqual([english, chinese]);
  });

  it("say the general relation plainly in both languages", () => {
    expect([new Words("en").predicate("RELATES_TO"), new Words("zh").predicate("RELATES_TO")]).toEqual(["related to", "关联"]);
  });

  it("never say it as they did", () => {
    const odd = /is tied to|out of sight|this view along|[Oo]nly around|[Aa]rrange anew|outranks|It is so|It matters|It is wrong|Same as|Held (?:from|until)|Heard|Written down|Read by|In the world|In the memory|What they are about|Copy kept|移出视线|把握(?!认为)|从这里找路径|取不到证据|社群/;
    for (const catalogue of [en, zh]) for (const [key, text] of Object.entries(catalogue)) if (!key.endsWith(".confidence.why")) expect([key, odd.test(text) ? text : null]).toEqual([key, null]);
  });

  it.each([
    ["en", "cousin", "Oliver is Bart’s cousin"],
    ["en", "表哥", "Oliver is Bart’s 表哥"],
    ["zh", "表哥", "Oliver是Bart的表哥"],
    ["en", "lives in", "Bart lives in Oliver"],
    ["en", "sector of work", "Bart · sector of work · Oliver"],
  ] as const)("form a sentence in %s for the relation %s", (lang, relation, sentence) => {
    expect(new Words(lang).sentence("Bart", { relation, predicate: "RELATES_TO" }, "Oliver")).toBe(sentence);
  });
});

describe("templates", () => {
  it.each(SOURCES.filter(([name]) => name.endsWith(".vue")))("%s hold no words of their own and no HTML from data", (_, text) => {
    const template = text.slice(text.indexOf("<template>"), text.lastIndexOf("</template>"));
    const written = template.replace(/\{\{[\s\S]*?\}\}/g, "").replace(/<(?:[^"'>]|"[^"]*"|'[^']*')*>/g, "").replace(/Mnemoscene|[?/·()]/g, "");
    expect(written.trim()).toBe("");
    expect(text).not.toMatch(/v-html|innerHTML|outerHTML|insertAdjacentHTML/);
  });

  it.each(SOURCES.filter(([name]) => name.endsWith(".vue")))("%s writes counts as the language does", (_, text) => {
    expect(text).not.toMatch(/\{\{[^}]*\.(?:length|size)(?: \|\| "")? \}\}/);
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

  it("separates the thousands of counts in both languages, and adds nothing to codes", () => {
    const [english, chinese] = [new Words("en"), new Words("zh")];
    expect([english.t("sum.remembers", { n: 3463 }), chinese.t("sum.remembers", { n: 3463 })]).toEqual(["Remembers 3,463 things", "记得 3,463 件事"]);
    expect([english.t("sum.remembers", { n: 1 }), english.t("state.refused", { code: "4406" })]).toEqual(["Remembers 1 thing", "The service refused the connection (code 4406)"]);
  });

  it("says how long ago in both languages", () => {
    const now = Date.parse("2026-11-20T12:00:00Z");
    expect(new Words("en").ago("2026-11-20T11:57:00Z", now)).toBe("3 minutes ago");
    expect(new Words("zh").ago("2026-11-20T11:57:00Z", now)).toBe("3分钟前");
    expect(new Words("zh").ago("2026-11-20T11:59:59Z", now)).toBe("刚刚");
  });

  it("says relative times as Intl.RelativeTimeFormat does", () => {
    const sizes = { year: 31_536_000, month: 2_592_000, week: 604_800, day: 86_400, hour: 3_600, minute: 60 };
    const highest = { year: 1_200, month: 12, week: 4, day: 6, hour: 23, minute: 59 };
    const now = Date.parse("2026-11-20T12:00:00Z");
    for (const [lang, locale] of [["en", "en-GB"], ["zh", "zh-CN"]] as const) {
      const [words, intl] = [new Words(lang), new Intl.RelativeTimeFormat(locale, { numeric: "auto" })];
      for (const unit of Object.keys(sizes) as (keyof typeof sizes)[]) {
        for (const count of [1, 2, 3, highest[unit]].flatMap((one) => [-one, one])) {
          expect(words.ago(new Date(now + count * sizes[unit] * 1000).toISOString(), now)).toBe(intl.format(count, unit));
        }
      }
    }
  });

  it("shows a predicate of a newer service as it is", () => {
    expect(new Words("en").predicate("WORKS_WITH")).toBe("works with");
  });

  it("takes the browser's language when it is Chinese, else English", () => {
    expect([["zh-TW"], ["de"], []].map((wanted) => languageOf(wanted))).toEqual(["zh", "en", "en"]);
  });
});
