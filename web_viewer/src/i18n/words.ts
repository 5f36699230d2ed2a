/** Format messages, names of predicates and kinds, and times in one language. */

import { en, zh, type MessageKey } from "./messages";

export type Lang = "en" | "zh";
export type Blanks = Record<string, string | number>;

export const LANGS: Record<Lang, Record<MessageKey, string>> = { en, zh };

export function languageOf(wanted: readonly string[]): Lang {
  return wanted[0]?.toLowerCase().startsWith("zh") ? "zh" : "en";
}

export function fill(text: string, blanks: Blanks = {}): string {
  return text
    .replace(/\{(\w+)\|([^|}]*)\|([^|}]*)\}/g, (_, name: string, one: string, many: string) => (blanks[name] === 1 ? one : many))
    .replace(/\{(\w+)\}/g, (whole, name: string) => String(blanks[name] ?? whole));
}

const STEPS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["week", 604_800],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

export class Words {
  private readonly locale: string;

  constructor(readonly lang: Lang) {
    this.locale = lang === "zh" ? "zh-CN" : "en-GB";
  }

  readonly t = (key: MessageKey, blanks?: Blanks): string => fill(LANGS[this.lang][key], blanks);

  /** Return the name of a predicate; one that only a newer service knows is returned unchanged. */
  predicate(name: string): string {
    return this.known(`pred.${name}`) ?? name.toLowerCase().replaceAll("_", " ");
  }

  /** Translate the relation labels that extraction assigns; return labels in free text unchanged. */
  relation(label: string): string {
    return this.known(`rel.${label}`) ?? label;
  }

  backwards(name: string): string {
    return this.known(`back.${name}`) ?? `← ${this.predicate(name)}`;
  }

  kinds(name: string): string {
    return this.known(`kind.${name}`) ?? name;
  }

  kind(name: string): string {
    return this.known(`kind1.${name}`) ?? name;
  }

  /** Return the name of a role, for a speaker whose name is unknown. */
  role(name: string): string {
    return this.known(`role.${name}`) ?? name;
  }

  /** Return the reason why a fact was closed, in words. */
  closingWhy(name: string): string {
    return this.known(`why.${name}`) ?? name;
  }

  closing(code: number): string | null {
    return this.known(`code.${code}`);
  }

  date(iso: string | null): string {
    const at = parse(iso);
    return at ? new Intl.DateTimeFormat(this.locale, { dateStyle: "medium" }).format(at) : "–";
  }

  dateTime(iso: string | null): string {
    const at = parse(iso);
    return at ? new Intl.DateTimeFormat(this.locale, { dateStyle: "medium", timeStyle: "short" }).format(at) : "–";
  }

  time(ms: number): string {
    return new Intl.DateTimeFormat(this.locale, { timeStyle: "short" }).format(ms);
  }

  ago(iso: string | null, nowMs: number): string {
    const at = parse(iso);
    if (!at) return "–";
    const seconds = (at.getTime() - nowMs) / 1000;
    for (const [unit, size] of STEPS) {
      if (Math.abs(seconds) >= size) {
        return new Intl.RelativeTimeFormat(this.locale, { numeric: "auto" }).format(Math.trunc(seconds / size), unit);
      }
    }
    return this.t("now");
  }

  number(value: number): string {
    return new Intl.NumberFormat(this.locale).format(value);
  }

  percent(value: number | null): string {
    return value === null ? "–" : new Intl.NumberFormat(this.locale, { style: "percent" }).format(value);
  }

  private known(key: string): string | null {
    return key in en ? LANGS[this.lang][key as MessageKey] : null;
  }
}

function parse(iso: string | null): Date | null {
  const at = iso === null ? null : new Date(iso);
  return at === null || Number.isNaN(at.getTime()) ? null : at;
}
