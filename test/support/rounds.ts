export const TORTURE = process.env['DROVER_TORTURE'] === '1';

/**
 * How often a test that looks for races repeats itself: a few times in every run, many times in
 * `npm run torture`, which runs the files named `*.torture.*` alone.
 */
export function rounds(short: number, long: number): number {
  return TORTURE ? long : short;
}
