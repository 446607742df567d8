import type { EntryFacts, EntryKind } from '../../../../../domain/files/directory-entry.ts';
import { wholeNumber } from '../../shell/host-text.ts';

/** What stat prints of an entry as `%f %s %.3Y`; `null` for anything else. */
export function readRaw([mode, bytes, seconds]: readonly (string | undefined)[]): EntryFacts | null {
  const size = wholeNumber(bytes);
  if (size === null || !/^[0-9a-f]{4}$/.test(mode ?? '') || !/^-?\d{1,12}(\.\d{1,9})?$/.test(seconds ?? '')) {
    return null;
  }
  return { kind: KINDS[mode?.[0] ?? ''] ?? 'other', size, modifiedAt: Math.trunc(Number(seconds) * 1000) };
}

/** By the first digit of a raw mode in hex (inode(7)). */
const KINDS: Readonly<Record<string, EntryKind>> = { '4': 'dir', '8': 'file', a: 'link' };

/** The permissions in a raw mode in hex, with set-id and sticky bits. */
export const rawMode = (mode: string | undefined): number => Number.parseInt(mode ?? '', 16) & 0o7777;
