import type { ByteString } from './byte-string.ts';
import { display } from './byte-string.ts';

/** `"/a", "/b"`. */
export const quotedPaths = (paths: readonly ByteString[]): string =>
  paths.map((path) => `"${display(path)}"`).join(', ');
