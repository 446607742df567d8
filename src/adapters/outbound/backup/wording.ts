import type { ByteString } from './byte-string.ts';
import { display } from './byte-string.ts';

const NUMBER = new Intl.NumberFormat('en-US');

export const formatCount = (count: number): string => NUMBER.format(count);

/** `1 file`, `2,000 files`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`;

/** `"/a", "/b"`. */
export const quotedPaths = (paths: readonly ByteString[]): string =>
  paths.map((path) => `"${display(path)}"`).join(', ');
