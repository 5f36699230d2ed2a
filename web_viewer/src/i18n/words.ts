/** Format messages, names of predicates and kinds, and times in one language. */

import type { Trouble } from "../live/requests";
import { isDay } from "../view/moments";
import { ENTITY_TYPES, GROUPS, PREDICATES, RELATIONS } from "../protocol/vocabulary";
import { en, zh, type MessageKey } from "./messages";

export type Lang = "en" | "zh";
export type Blanks = Record<string, string | number>;

/** Those of late parts are missing until they are loaded. */
export const LANGS = { en, zh } as Record<Lang, Record<MessageKey, string>>;

export function languageOf(wanted: readonly string[]): Lang {
  return wanted[0]?.toLowerCase().startsWith("zh") ? "zh" : "en";
}

/** @param number writes a number as the language does. */
export function fill(text: string, blanks: Blanks = {}, number: (value: number) => string = String): string {
  return text
    .replace(/\{(\w+)\|([^|}]*)\|([^|}]*)\}/g, (_, name: string, one: string, many: string) => (blanks[name] === 1 ? one : many))
    .replace(/\{(\w+)\}/g, (whole, name: string) => {
      const blank = blanks[name] ?? whole;
      return typeof blank === "number" ? number(blank) : blank;
    });
}

/**
 * Units of relative times with their seconds and, by language, their name and what the last two and the next two are called.
 *
 * As `Intl.RelativeTimeFormat` writes them, whose first use takes as long as the layout of the map.
 */
const STEPS: readonly { size: number; names: Record<Lang, string>; near?: Record<Lang, Record<number, string>> }[] = [
  { size: 31_536_000, names: { en: "year", zh: "年" }, near: { en: { [-1]: "last year", 1: "next year" }, zh: { [-1]: "去年", 1: "明年" } } },
  { size: 2_592_000, names: { en: "month", zh: "个月" }, near: { en: { [-1]: "last month", 1: "next month" }, zh: { [-1]: "上个月", 1: "下个月" } } },
  { size: 604_800, names: { en: "week", zh: "周" }, near: { en: { [-1]: "last week", 1: "next week" }, zh: { [-1]: "上周", 1: "下周" } } },
  { size: 86_400, names: { en: "day", zh: "天" }, near: { en: { [-1]: "yesterday", 1: "tomorrow" }, zh: { [-2]: "前天", [-1]: "昨天", 1: "明天", 2: "后天" } } },
  { size: 3_600, names: { en: "hour", zh: "小时" } },
  { size: 60, names: { en: "minute", zh: "分钟" } },
];

/** Headings of overviews, as `extraction/extractive_summary.py` writes them. */
const HEADINGS = {
  "overview.summary": ["summary", "摘要"],
  "overview.topics": ["topics", "主题"],
  "overview.points": ["key points", "要点"],
  "overview.names": ["people and things", "人物与事物"],
  "overview.plans": ["decisions and plans", "决定与计划"],
  "overview.times": ["times", "时间"],
  "overview.scenes": ["scenes", "场景"],
} as const satisfies Partial<Record<MessageKey, readonly string[]>>;

/** Nouns for what somebody is to a person, so that "Oliver is Bart's cousin" is a sentence of their fact. */
const ROLES = new Set(
  "mother|father|mum|mom|dad|parent|son|daughter|child|kid|brother|sister|sibling|twin|wife|husband|spouse|partner|girlfriend|boyfriend|fiancé|fiancée|ex|grandmother|grandfather|grandma|grandpa|grandson|granddaughter|grandchild|aunt|uncle|cousin|niece|nephew|stepmother|stepfather|mother-in-law|father-in-law|brother-in-law|sister-in-law|friend|best friend|colleague|coworker|teammate|classmate|roommate|flatmate|neighbour|neighbor|boss|manager|mentor|teacher|student|doctor|dentist|therapist|coach|pet|dog|cat|horse".split("|"),
);
/** Chinese nouns of kin and acquaintance, by their last characters. */
const ROLE_ZH = /(?:妈妈?|爸爸?|母亲|父亲|儿子|女儿|孩子|哥哥?|姐姐?|弟弟?|妹妹?|妻子|丈夫|老婆|老公|女友|男友|女朋友|男朋友|奶奶|爷爷|外婆|外公|姥姥|姥爷|阿姨|叔叔|舅舅|姑姑|表[哥姐弟妹]|堂[哥姐弟妹]|侄[子女]|外甥女?|朋友|闺蜜|同事|同学|室友|邻居|老板|领导|导师|老师|学生|医生|教练|宠物|狗|猫)$/;

function isRole(relation: string): boolean {
  return ROLES.has(relation.toLowerCase()) || ROLE_ZH.test(relation);
}

export class Words {
  private readonly locale: string;
  /** Created when they are first needed, since the first picture waits for that. */
  private numbers: Intl.NumberFormat | undefined;
  /** By their options: creating one takes longer than using it a hundred times. */
  private readonly dates = new Map<string, Intl.DateTimeFormat>();

  constructor(readonly lang: Lang) {
    this.locale = lang === "zh" ? "zh-CN" : "en-GB";
  }

  readonly t = (key: MessageKey, blanks?: Blanks): string => fill(LANGS[this.lang][key], blanks, this.number);

  /** Return the name of a predicate; one that only a newer service knows is returned unchanged. */
  predicate(name: string): string {
    return PREDICATES[name]?.label[this.lang] ?? name.toLowerCase().replaceAll("_", " ");
  }

  /** Translate the relation labels that extraction assigns; return labels in free text unchanged. */
  relation(label: string): string {
    return RELATIONS[label]?.[this.lang] ?? label;
  }

  /** Form a sentence about two names; a relation in free text may be a noun, so it stands between dots. */
  sentence(subject: string, link: { relation?: string | null; predicate: string }, object: string): string {
    const verb = link.relation ? (RELATIONS[link.relation]?.[this.lang] ?? null) : this.predicate(link.predicate);
    if (verb === null && link.relation && isRole(link.relation)) return this.t("sentence.role", { subject, role: link.relation, object });
    return verb === null ? `${subject} · ${link.relation} · ${object}` : `${subject} ${verb} ${object}`;
  }

  backwards(name: string): string {
    return PREDICATES[name]?.inverse[this.lang] ?? `← ${this.predicate(name)}`;
  }

  kinds(name: string): string {
    return this.known(`kind.${name}`) ?? name;
  }

  kind(name: string): string {
    return this.known(`kind1.${name}`) ?? name;
  }

  /** Return the name of a group of facts around a person. */
  group(name: string): string {
    return GROUPS[name]?.label[this.lang] ?? name;
  }

  entityType(name: string): string {
    return ENTITY_TYPES[name]?.[this.lang] ?? name;
  }

  /** Return the name of a type of entity as a heading. */
  typeOf(name: string): string {
    const type = this.entityType(name);
    return type.charAt(0).toUpperCase() + type.slice(1);
  }

  /** Return the name of a role, for a speaker whose name is unknown. */
  role(name: string): string {
    return this.known(`role.${name}`) ?? name;
  }

  /** Return the name of what extracted a fact: built-in rules, a person, or a model by its name. */
  reader(name: string): string {
    return this.known(`reader.${name}`) ?? name;
  }

  /** Return what a person did to a fact, in words. */
  act(kind: string): string {
    return this.known(`did.${kind.toUpperCase()}`) ?? kind;
  }

  /** Return the reason why a fact was closed, in words. */
  closingWhy(name: string): string {
    return this.known(`why.${name}`) ?? name;
  }

  /** Say why something could not be loaded. */
  trouble(trouble: Trouble): string {
    return trouble.kind === "refused" ? trouble.why : this.t(`trouble.${trouble.kind}`);
  }

  /** Return names as one text. */
  list(names: readonly string[]): string {
    return names.join(this.lang === "zh" ? "、" : ", ");
  }

  closing(code: number): string | null {
    return this.known(`code.${code}`);
  }

  /** A midnight of UTC is a day as it was told, which is the same day everywhere. */
  date(iso: string | null): string {
    const at = parse(iso);
    return at ? this.dated({ dateStyle: "medium", timeZone: isDay(at) ? "UTC" : undefined }, at) : "–";
  }

  /** Return the label of a tick on a ruler of time. */
  tick(ms: number, unit: "hour" | "day" | "month" | "year"): string {
    const how: Intl.DateTimeFormatOptions = unit === "year" ? { year: "numeric" } : unit === "month" ? { year: "numeric", month: "short" } : unit === "day" ? { dateStyle: "medium" } : { dateStyle: "medium", timeStyle: "short" };
    return this.dated(how, ms);
  }

  dateTime(iso: string | null): string {
    const at = parse(iso);
    return at ? this.dated({ dateStyle: "medium", timeStyle: "short" }, at) : "–";
  }

  /** Translate the headings that the service writes; return others unchanged. */
  heading(text: string): string {
    const key = (Object.keys(HEADINGS) as (keyof typeof HEADINGS)[]).find((one) => (HEADINGS[one] as readonly string[]).includes(text.toLowerCase()));
    return key === undefined ? text : this.t(key);
  }

  /** Write the ISO 8601 times in a text as the user's language does. */
  withTimes(text: string): string {
    return text
      .replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)?/g, (iso) => this.dateTime(iso))
      .replace(/\b\d{4}-\d\d-\d\d\b/g, (iso) => this.date(`${iso}T12:00:00`));
  }

  time(ms: number): string {
    return this.dated({ timeStyle: "short" }, ms);
  }

  ago(iso: string | null, nowMs: number): string {
    const at = parse(iso);
    if (!at) return "–";
    const seconds = (at.getTime() - nowMs) / 1000;
    const step = STEPS.find(({ size }) => Math.abs(seconds) >= size);
    if (step === undefined) return this.t("now");
    const count = Math.trunc(seconds / step.size);
    const [near, n, name] = [step.near?.[this.lang][count], this.number(Math.abs(count)), step.names[this.lang]];
    if (near !== undefined) return near;
    if (this.lang === "zh") return `${n}${name}${count < 0 ? "前" : "后"}`;
    const span = `${n} ${name}${Math.abs(count) === 1 ? "" : "s"}`;
    return count < 0 ? `${span} ago` : `in ${span}`;
  }

  readonly number = (value: number): string => {
    if (Number.isInteger(value) && value >= 0 && value < 1_000) return String(value);
    this.numbers ??= new Intl.NumberFormat(this.locale);
    return this.numbers.format(value);
  };

  /** Write a number; a text is one already, such as `12+`. */
  amount(value: number | string): string {
    return typeof value === "number" ? this.number(value) : value;
  }

  percent(value: number | null): string {
    if (value === null) return "–";
    // Written alike in both languages; the first `Intl.NumberFormat` of a page takes as long as the layout of the map.
    return `${Math.round(value * 100)}%`;
  }

  private dated(how: Intl.DateTimeFormatOptions, at: Date | number): string {
    const key = JSON.stringify(how);
    let format = this.dates.get(key);
    if (format === undefined) this.dates.set(key, (format = new Intl.DateTimeFormat(this.locale, how)));
    return format.format(at);
  }

  private known(key: string): string | null {
    return key in en ? LANGS[this.lang][key as MessageKey] : null;
  }
}

function parse(iso: string | null): Date | null {
  const at = iso === null ? null : new Date(iso);
  return at === null || Number.isNaN(at.getTime()) ? null : at;
}
