import { DomainError } from '../base/errors.ts';
import { type Instant, MINUTE, toMinute } from '../base/instant.ts';
import { exactText } from '../base/visible-text.ts';
import type { ChangeFact, ChangePreview } from './requested-change.ts';

/** How long the user of an agent has to answer. */
export const CONFIRMATION_MS = 10 * MINUTE;

/** How much of a plan or of a text's difference a question contains, in characters. Clients show it in a dialog. */
const MAX_PLAN = 6_000;

/** Asks the user of an agent. Nothing in the text is invisible, and a plan that is cut says so. */
export function confirmationText(title: string, preview: ChangePreview, expiresAt: Instant): string {
  const { subject, summary, facts, diff } = preview;
  const details = facts.map(factLine).filter((line) => !summary.includes(line));
  const lines = [`${title} on ${subject}?`, summary, ...details];
  return [
    exactText(lines.join('\n')),
    ...(diff === null || diff === '' ? [] : [cut(exactText(diff))]),
    `If you accept, Drover does exactly this, or nothing if the state has changed by then. You can answer until ${toMinute(expiresAt)}.`,
  ].join('\n\n');
}

const factLine = ({ name, before, after }: ChangeFact): string =>
  before === null || after === null ? `${name}: ${before ?? after}` : `${name}: ${before} → ${after}`;

const cut = (text: string): string =>
  text.length <= MAX_PLAN
    ? text
    : `${text.slice(0, MAX_PLAN)}\n… ${text.length - MAX_PLAN} more characters are not shown here.`;

export const confirmationDeclined = (): DomainError =>
  new DomainError(
    'confirmation_declined',
    'The user did not accept this in their client, so nothing was done. Do not call it again unless the user asks for it.',
  );

export const confirmationInvalid = (): DomainError =>
  new DomainError(
    'confirmation_invalid',
    'This answer does not belong to this call with this token, so nothing was done. Call the tool again without an answer.',
  );

export const confirmationExpired = (): DomainError =>
  new DomainError(
    'confirmation_expired',
    'The user answered too late, so nothing was done. Call the tool again: the user is asked again.',
  );

export const confirmationUsed = (): DomainError =>
  new DomainError(
    'confirmation_used',
    'This answer was used before, so nothing was done this time. Look at the current state before you call the tool again.',
  );
