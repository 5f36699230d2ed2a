/** Evidence of one fact or node, fetched on demand and never broadcast. */

import { neverHeld, toldAsPast } from "../graph/facts";
import type { Words } from "../i18n/words";
import { askService } from "../live/requests";

export interface Party {
  id: string;
  label: string;
  kind: string;
}

export interface FactLine {
  id: string;
  predicate: string;
  relation: string | null;
  statement: string | null;
  subject_label: string;
  object_label: string;
  strength: number | null;
  confidence: number | null;
  invalid_at: string | null;
}

export interface Quote {
  message_id: string;
  uri: string | null;
  speaker: string | null;
  role: string | null;
  said_at: string | null;
  text: string;
  /** Offsets in code points, not in UTF-16 units. */
  quote_start: number | null;
  quote_end: number | null;
  scene_id: string | null;
  scene_label: string | null;
  tags: string[];
}

/** Why a fact was closed, with the message that closed it. */
export interface Closing {
  /** One of the reasons in `schema/README.md`. */
  reason: string;
  fact_id: string | null;
  fact_statement: string | null;
  message_text: string | null;
}

export interface Evidence {
  id: string;
  kind: string;
  label: string;
  statement: string | null;
  predicate: string | null;
  relation: string | null;
  subject: Party | null;
  object: Party | null;
  strength: number | null;
  confidence: number | null;
  first_seen: string | null;
  last_seen: string | null;
  valid_at: string | null;
  invalid_at: string | null;
  closing?: Closing | null;
  recorded_at: string | null;
  reader: string | null;
  trigger_emotion: string | null;
  /** The reason for a decision. */
  rationale?: string | null;
  /** Steps of a procedure, in order. */
  steps?: string[];
  /** Details of an entity that are no facts, by name. */
  attributes?: Record<string, string>;
  mentioned_start?: string | null;
  mentioned_end?: string | null;
  aliases: string[];
  abstract: string | null;
  overview: string | null;
  /** Entities merged into it. */
  merged?: { id: string; name: string }[];
  /** Entered manually. */
  manual?: boolean;
  facts: FactLine[];
  evidence: Quote[];
  /** Corrections by people, oldest first. */
  corrections?: CorrectionNote[];
}

export interface CorrectionNote {
  id: string;
  kind: string;
  by: string | null;
  at: string;
}

/** Return what the panel says about the standing of a fact: rejected by whom, over, or nothing. */
export function standingOf(fact: Parameters<typeof neverHeld>[0], answer: Pick<Evidence, "closing" | "corrections"> | null): { state: "holds" | "past" | "over" | "rejected" | "never"; by: string | null } {
  if (!fact.invalid_at) return { state: "holds", by: null };
  if (answer?.closing?.reason === "rejected") return { state: "rejected", by: answer.corrections?.filter((one) => one.kind === "reject" || one.kind === "update").at(-1)?.by ?? null };
  return { state: neverHeld(fact) ? "never" : toldAsPast(fact) ? "past" : "over", by: null };
}

/**
 * Return the name of who said a message, or of the role if no name is known.
 *
 * @param user the name of the user whose conversation it is, the speaker of messages of role `user` without another one.
 */
export function speakerName({ speaker, role }: Pick<Quote, "speaker" | "role">, user: string | null, words: Words): string {
  return speaker ?? (role === "user" ? user : null) ?? words.role(role ?? "");
}

/** Say how often something was told, by whom and when; null without messages. */
export function toldWords(quotes: readonly Pick<Quote, "message_id" | "speaker" | "role" | "said_at">[], user: string | null, words: Words): string | null {
  const messages = [...new Map(quotes.map((quote) => [quote.message_id, quote])).values()];
  if (messages.length === 0) return null;
  const who = words.list([...new Set(messages.map((quote) => speakerName(quote, user, words)))]);
  const times = messages.map((quote) => quote.said_at).filter((at) => at !== null).sort();
  const [first, last] = [words.date(times[0] ?? null), words.date(times.at(-1) ?? null)];
  if (messages.length === 1) return words.t("panel.told1", { who, first });
  return words.t(first === last ? "panel.told.day" : "panel.told", { n: messages.length, who, first, last });
}

/** Return the tags of messages, each once. */
export function tagsOf(quotes: readonly Pick<Quote, "tags">[]): string[] {
  return [...new Set(quotes.flatMap((quote) => quote.tags))].sort();
}

/** Return when a fact was last mentioned: a correction is no mention, although the service counts it as one. */
export function lastMention(lastSeen: string | null, answer: Pick<Evidence, "corrections" | "evidence"> | null): string | null {
  if (!answer?.corrections?.length || answer.evidence.length === 0) return lastSeen;
  return answer.evidence.reduce<string | null>((last, { said_at }) => (said_at !== null && (last === null || said_at > last) ? said_at : last), null);
}

/** @throws Error with the service's message if it returns an error. */
export function fetchEvidence(id: string, tenant: string, signal: AbortSignal): Promise<Evidence> {
  return askService<Evidence>(`evidence/${encodeURIComponent(id)}`, tenant, signal);
}

export interface QuoteParts {
  before: string;
  marked: string;
  after: string;
}

/** Split a message around its evidence, for highlighting. */
export function quoteParts(quote: Pick<Quote, "text" | "quote_start" | "quote_end">): QuoteParts {
  const signs = Array.from(quote.text);
  const start = quote.quote_start ?? 0;
  const end = quote.quote_end ?? 0;
  if (end <= start || start < 0 || start >= signs.length) return { before: quote.text, marked: "", after: "" };
  return { before: signs.slice(0, start).join(""), marked: signs.slice(start, end).join(""), after: signs.slice(end).join("") };
}

/** Texts up to this length are quoted whole. */
const WHOLE_CHARS = 600;
/** What is quoted before and after the evidence of a longer text. */
const AROUND_CHARS = 180;

/** Return the part of a long message around its evidence, cut between words where there are any; null if it is quoted whole. */
export function excerptOf({ before, marked, after }: QuoteParts): QuoteParts | null {
  if (before.length + marked.length + after.length <= WHOLE_CHARS) return null;
  if (marked === "") return { before: head(before, WHOLE_CHARS), marked, after };
  return { before: tail(before, AROUND_CHARS), marked: head(marked, WHOLE_CHARS), after: head(after, AROUND_CHARS) };
}

function head(text: string, chars: number): string {
  return text.length <= chars ? text : `${text.slice(0, chars).replace(/(?<=\s\S*)\S{0,20}$/u, "").trimEnd()} …`;
}

function tail(text: string, chars: number): string {
  return text.length <= chars ? text : `… ${text.slice(-chars).replace(/^\S{0,20}(?=\s)/u, "").trimStart()}`;
}

export interface Block {
  kind: "head" | "item" | "text";
  text: string;
}

/** Headings of an overview whose content the panel shows already. */
const SUMMARY = /^(summary|摘要)$/i;

/** Return the blocks of an overview, without those that repeat the summary shown above it; known headings and times in the user's language. */
export function overviewBlocks(markdown: string, summary: string, words: Words): Block[] {
  const blocks = plainBlocks(markdown);
  const [head, text] = blocks;
  const repeats = head?.kind === "head" && SUMMARY.test(head.text);
  const kept = repeats ? blocks.slice(text?.text === summary.trim() ? 2 : 1) : blocks;
  return kept.map((block) => ({ ...block, text: block.kind === "head" ? words.heading(block.text) : words.withTimes(block.text) }));
}

/** Parse Markdown to plain blocks; no HTML is produced. */
export function plainBlocks(markdown: string): Block[] {
  const blocks: Block[] = [];
  let open = false;
  for (const raw of markdown.split(/\r?\n/)) {
    const line = raw.trim();
    const text = line.replace(/^(#{1,6}|[-*+]|\d+\.)\s+/, "").replace(/(\*\*|__|`)/g, "");
    const kind = /^#{1,6}\s/.test(line) ? "head" : /^([-*+]|\d+\.)\s/.test(line) ? "item" : "text";
    const last = blocks.at(-1);
    if (text === "") open = false;
    else if (kind === "text" && open && last) last.text += ` ${text}`;
    else {
      blocks.push({ kind, text });
      open = kind === "text";
    }
  }
  return blocks;
}
