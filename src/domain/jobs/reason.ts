import { InvalidInput } from '../base/errors.ts';
import { oneLine } from '../base/one-line.ts';

export const MAX_REASON_LENGTH = 500;

/** Why a requester wants a job, in its own words: one line without invisible characters. Null if empty; throws `invalid_input` if too long. */
export function parseReason(text: string | null | undefined): string | null {
  if (text === null || text === undefined) return null;
  if (text.length > MAX_REASON_LENGTH) {
    const message = `A reason has at most ${MAX_REASON_LENGTH} characters.`;
    throw new InvalidInput([{ path: '/reason', message }]);
  }
  return oneLine(text.replace(/\p{Cs}/gu, '\ufffd'), MAX_REASON_LENGTH) || null;
}
