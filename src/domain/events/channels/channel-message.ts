import type { Instant } from '../../base/instant.ts';
import { oneLine } from '../../base/one-line.ts';
import type { EventType, Severity, WrittenEvent } from '../event.ts';

const MAX_TITLE = 200;
/** Below the limits of all services: Pushover takes 1,024 characters, ntfy 4,096 bytes. */
export const MAX_TEXT = 1_000;

/** An event as people read it. Hosts write parts of its texts: each format escapes them. */
export interface ChannelMessage {
  /** The same at each try. */
  readonly id: string;
  readonly type: EventType;
  readonly severity: Severity;
  readonly at: Instant;
  /** One line. */
  readonly title: string;
  /** One line; of a report or a digest several. */
  readonly text: string;
  readonly link: string | null;
  /** Its problem, of which the channel has one message; `null`: it is about none, or about several. */
  readonly problem: string | null;
}

export const messageOf = (event: Omit<WrittenEvent, 'id'>, link: string | null): ChannelMessage => ({
  id: event.uid,
  type: event.type,
  severity: event.severity,
  at: event.at,
  title: oneLine(event.title, MAX_TITLE),
  text: event.type === 'report.weekly' ? lines(event.message) : oneLine(event.message, MAX_TEXT),
  link,
  problem: event.problem ?? null,
});

/** Drover's own lines. */
const lines = (text: string): string =>
  text
    .split('\n')
    .map((line) => oneLine(line, MAX_TEXT))
    .join('\n')
    .slice(0, MAX_TEXT);

const SIGNS = { info: 'ℹ️', warning: '⚠️', critical: '🔴' } as const satisfies Record<Severity, string>;

/** The title with a sign for its severity, for formats without colours. */
export const signed = ({ severity, title }: ChannelMessage): string => `${SIGNS[severity]} ${title}`;

/** Title, text and link as plain text. */
export const plainText = (message: ChannelMessage): string =>
  [message.title, message.text, message.link].filter((line) => line !== null && line !== '').join('\n');

const HTML: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** For HTML, in text and in quoted attributes. */
export const htmlText = (text: string): string => text.replace(/[&<>"]/g, (sign) => HTML[sign] ?? sign);

/** The same with line breaks. */
export const htmlLines = (text: string): string => htmlText(text).replaceAll('\n', '<br>');

/** Slack has three special characters; mentions and links need them. */
export const slackText = (text: string): string => text.replace(/[&<>]/g, (sign) => HTML[sign] ?? sign);

/** Discord's Markdown, with a break after each `@` so that no mention is left. */
export const discordText = (text: string): string =>
  text.replace(/[\\*_~|`>#\-[\]()<]/g, '\\$&').replaceAll('@', '@\u200b');

/** The longest start of a text that fits once it is escaped. */
export function fitting(text: string, most: number, escape: (text: string) => string): string {
  const whole = escape(text);
  if (whole.length <= most) return whole;
  const characters = Array.from(text);
  let kept = '';
  for (const character of characters) {
    const next = kept + escape(character);
    if (next.length > most - 1) break;
    kept = next;
  }
  return `${kept}…`;
}
