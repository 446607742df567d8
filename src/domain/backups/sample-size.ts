import { InvalidInput } from '../base/errors.ts';

/** How much of a snapshot to verify: all of it, a number of files, or a percentage. */
export type SampleSize =
  | { readonly kind: 'all' }
  | { readonly kind: 'files'; readonly count: number }
  | { readonly kind: 'percent'; readonly percent: number };

/** The default sample: enough to detect a decaying store, little enough to run every night. */
export const DEFAULT_SAMPLE: SampleSize = { kind: 'files', count: 200 };
const MAX_FILES = 100_000;

/** Reads `all`, `50` or `10%`. Throws `invalid_input`. */
export function parseSample(text: string): SampleSize {
  if (text === 'all') return { kind: 'all' };
  const [, digits = '', percent] = /^(\d{1,6})(%?)$/.exec(text) ?? [];
  const number = Number(digits);
  const isPercent = percent === '%';
  if (digits === '' || number < 1 || number > (isPercent ? 100 : MAX_FILES)) {
    throw new InvalidInput([
      {
        path: '/sample',
        message: `A sample is "all", a number of files from 1 to ${MAX_FILES}, or a percentage from 1% to 100%.`,
      },
    ]);
  }
  if (!isPercent) return { kind: 'files', count: number };
  return number === 100 ? { kind: 'all' } : { kind: 'percent', percent: number };
}

/** As `parseSample` reads it. */
export function sampleText(sample: SampleSize): string {
  if (sample.kind === 'all') return 'all';
  return sample.kind === 'files' ? String(sample.count) : `${sample.percent}%`;
}

/** The number of files in a sample: at least one, if there are any. */
export function sampleCount(sample: SampleSize, of: number): number {
  if (sample.kind === 'all') return of;
  const wanted = sample.kind === 'files' ? sample.count : Math.ceil((of * sample.percent) / 100);
  return Math.min(of, wanted);
}
