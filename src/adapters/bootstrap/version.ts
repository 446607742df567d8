import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** package.json lies three levels above, from src/ as from dist/. */
const PACKAGE = new URL('../../../package.json', import.meta.url);

/** The version of this program, as package.json says. */
export const VERSION = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(PACKAGE, 'utf8'))).version;
