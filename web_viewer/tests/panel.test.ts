import { afterEach, describe, expect, it, vi } from "vitest";
import { Words } from "../src/i18n/words";
import { excerptOf, toldWords } from "../src/panel/evidence";
import { dayOf, lastOf } from "../src/view/moments";

const quote = (id: string, speaker: string | null, at: string) => ({ message_id: id, speaker, role: "user", said_at: at });

describe("a day", () => {
  afterEach(() => void vi.unstubAllEnvs());

  it.each(["America/Los_Angeles", "UTC", "Asia/Tokyo"])("is the same in the panel and in the form, and as it was told, in %s", (zone) => {
    vi.stubEnv("TZ", zone);
    const words = new Words("en");
    expect([words.date("2026-05-01T00:00:00Z"), dayOf("2026-05-01T00:00:00Z")]).toEqual(["1 May 2026", "2026-05-01"]);
    expect(words.date(lastOf("2026-06-01T00:00:00Z"))).toBe("31 May 2026");
  });

  it("is the local one of a moment", () => {
    const dayIn = (zone: string): string[] => {
      vi.stubEnv("TZ", zone);
      return [new Words("en").date("2026-05-01T20:00:00Z"), dayOf("2026-05-01T20:00:00Z")];
    };
    expect(dayIn("Asia/Tokyo")).toEqual(["2 May 2026", "2026-05-02"]);
    expect(dayIn("America/Los_Angeles")).toEqual(["1 May 2026", "2026-05-01"]);
    expect(dayOf(null)).toBe("");
  });
});

describe("what a person did to a fact", () => {
  it("is said in words although no correction was made on this page", () => {
    expect(["confirm", "reject", "pin", "update"].map((kind) => new Words("en").act(kind))).toEqual(["Confirmed", "Rejected", "Pinned", "Edited"]);
    expect(new Words("zh").act("confirm")).toBe("已确认");
  });
});

describe("the quotation of a long message", () => {
  const words = "The road was long. ".repeat(80);

  it("is its part around the evidence, cut between words", () => {
    const part = excerptOf({ before: words, marked: "I love tea.", after: ` ${words}` });
    expect(part?.marked).toBe("I love tea.");
    expect(part?.before).toMatch(/^… (The|road|was|long\.) /);
    expect(part?.after).toMatch(/ (The|road|was|long\.) …$/);
    expect((part?.before.length ?? 0) + (part?.after.length ?? 0)).toBeLessThan(400);
  });

  it("has no words to cut between in Chinese, and no evidence at times", () => {
    expect(excerptOf({ before: "路很长".repeat(300), marked: "我喜欢茶", after: "" })?.before).toBe(`… ${"路很长".repeat(60)}`);
    expect(excerptOf({ before: words, marked: "", after: "" })?.before.length).toBeLessThan(610);
    expect(excerptOf({ before: "short ", marked: "one", after: "" })).toBeNull();
  });
});

describe("how often a fact was told", () => {
  it.each([
    ["en", "Told once, by Ana on 1 Mar 2026"],
    ["zh", "说过一次：Ana，2026年3月1日"],
  ] as const)("is once, with author and day, in %s", (lang, said) => {
    expect(toldWords([quote("m1", "Ana", "2026-03-01T12:00:00Z"), quote("m1", "Ana", "2026-03-01T12:00:00Z")], null, new Words(lang))).toBe(said);
  });

  it("counts messages, names each author once, and has the first and last day", () => {
    const quotes = [quote("m2", "Bob", "2026-05-02T12:00:00Z"), quote("m1", "Ana", "2026-03-01T12:00:00Z"), quote("m3", "Ana", "2026-03-04T12:00:00Z")];
    expect(toldWords(quotes, null, new Words("en"))).toBe("Told 3 times, by Bob, Ana, from 1 Mar 2026 to 2 May 2026");
    expect(toldWords([quote("m1", null, "2026-03-01T12:00:00Z"), quote("m2", null, "2026-03-01T15:00:00Z")], null, new Words("en"))).toBe("Told 2 times, by User on 1 Mar 2026");
  });

  it("has the user's name where a message of the user names no speaker", () => {
    const quotes = [quote("m1", null, "2026-03-01T12:00:00Z"), quote("m2", "Bob", "2026-03-01T15:00:00Z"), { ...quote("m3", null, "2026-03-01T16:00:00Z"), role: "assistant" }];
    expect(toldWords(quotes, "Ana", new Words("en"))).toBe("Told 3 times, by Ana, Bob, Assistant on 1 Mar 2026");
  });

  it("is nothing without messages", () => {
    expect(toldWords([], null, new Words("en"))).toBeNull();
  });
});
