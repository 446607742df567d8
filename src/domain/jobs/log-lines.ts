import { visibleText } from '../base/visible-text.ts';
import { cutNotice } from './job-log.ts';

/** A place between two lines of a log: how many bytes were ever logged before it, and how many lines are shown before it. */
export interface LogPlace {
  readonly bytes: number;
  readonly lines: number;
}

export const LOG_START: LogPlace = { bytes: 0, lines: 0 };

/** Such as `4096-62`, for addresses and for streams that are resumed. */
export const logPlaceText = ({ bytes, lines }: LogPlace): string => `${bytes}-${lines}`;

/** `null` if it is not a position. */
export function parseLogPlace(raw: string): LogPlace | null {
  const [, bytes, lines] = /^(\d{1,12})-(\d{1,12})$/.exec(raw) ?? [];
  return bytes === undefined ? null : { bytes: Number(bytes), lines: Number(lines) };
}

/** Turns a log that is read in parts into whole lines. The cut part counts as one line, which says so. */
export class LogLines {
  #place: LogPlace;
  #rest = '';
  #read: number;

  constructor(from: LogPlace = LOG_START) {
    this.#place = from;
    this.#read = from.bytes;
  }

  /** Where to continue: the `after` of the next read. */
  get read(): number {
    return this.#read;
  }

  /** After the last returned line; reading from here returns the next whole line. */
  get place(): LogPlace {
    return this.#place;
  }

  add(part: { readonly text: string; readonly cutBytes: number; readonly next: number }): readonly string[] {
    const pieces = (this.#rest + part.text).split('\n');
    const rest = pieces.pop() ?? '';
    if (part.cutBytes > 0) pieces.unshift(cutNotice(part.cutBytes));
    this.#rest = rest;
    this.#read = part.next;
    const open = new TextEncoder().encode(rest).length;
    this.#place = { bytes: part.next - open, lines: this.#place.lines + pieces.length };
    // Lines of version 1.1 were stored as hosts wrote them; places count the stored bytes.
    return pieces.map(visibleText);
  }
}
