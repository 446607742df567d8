import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

/** The directory of package.json: three levels above, from src/ as from dist/. */
export const PROGRAM_ROOT = new URL('../../../', import.meta.url);

/** Files for browsers: always from the sources, since they ship unchanged. */
export const STATIC_FILES = fileURLToPath(new URL('src/adapters/inbound/web/static/', PROGRAM_ROOT));

/** The documentation, once it is built. */
export const DOCS_SITE = fileURLToPath(new URL('dist/docs/', PROGRAM_ROOT));

/** The command line. */
export const CLI_PROGRAM = fileURLToPath(new URL('bin/drover.mjs', PROGRAM_ROOT));

/** The MCP server that an agent starts on its own machine. */
export const ADAPTER_PROGRAM = fileURLToPath(new URL('bin/drover-mcp.mjs', PROGRAM_ROOT));

/** The version of this program, as package.json says. */
export const VERSION = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(new URL('package.json', PROGRAM_ROOT), 'utf8'))).version;
