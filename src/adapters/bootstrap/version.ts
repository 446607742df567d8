import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { PROGRAM_ROOT } from './program-root.ts';

/** The version of this program, as package.json says. */
export const VERSION = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(new URL('package.json', PROGRAM_ROOT), 'utf8'))).version;
