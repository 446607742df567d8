import { oneLine } from '../../base/one-line.ts';
import { count } from '../../base/spans.ts';
import { isAtLeast, SEVERITIES, type Severity } from '../event.ts';
import type { ChannelMessage } from './channel-message.ts';

const MAX_LINE = 120;
/** Kept for the line that counts the rest. */
const REST_LENGTH = 40;

/**
 * Several messages as one, the gravest first; `most`: the length of its text. What does not fit is counted. The same
 * messages give the same id: receivers can drop a repeated one.
 */
export function digestOf(
  messages: readonly [ChannelMessage, ...ChannelMessage[]],
  { most, link }: { readonly most: number; readonly link: string | null },
): ChannelMessage {
  const [first] = messages;
  const last = messages.at(-1) ?? first;
  const gravest = SEVERITIES.findLast((severity) => messages.some((each) => each.severity === severity));
  const lines = SEVERITIES.toReversed().flatMap((severity) =>
    messages.filter((each) => each.severity === severity).map(lineOf),
  );
  return {
    id: `${first.id}-${last.id}-${messages.length}`,
    type: first.type,
    severity: gravest ?? first.severity,
    at: last.at,
    title: `${count(messages.length, 'event')}: ${countsOf(messages)}`,
    text: fittingLines(lines, most),
    link,
    problem: null,
  };
}

const lineOf = ({ severity, title }: ChannelMessage): string =>
  `${isAtLeast(severity, 'warning') ? `${severity}: ` : ''}${oneLine(title, MAX_LINE)}`;

function countsOf(messages: readonly ChannelMessage[]): string {
  const of = (severity: Severity): number => messages.filter((each) => each.severity === severity).length;
  return SEVERITIES.toReversed()
    .filter((severity) => of(severity) > 0)
    .map((severity) => `${of(severity)} ${severity}`)
    .join(', ');
}

/** The first lines of a text of at most `most` characters, and the number of the others. */
function fittingLines(lines: readonly string[], most: number): string {
  const shown: string[] = [];
  let length = 0;
  for (const line of lines) {
    const isLast = shown.length === lines.length - 1;
    if (length + line.length + 1 > (isLast ? most : most - REST_LENGTH)) break;
    shown.push(line);
    length += line.length + 1;
  }
  const rest = lines.length - shown.length;
  return [...shown, ...(rest === 0 ? [] : [`and ${count(rest, 'more event')}, which Drover lists`])].join(
    '\n',
  );
}
