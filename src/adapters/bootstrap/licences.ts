import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { PROGRAM_ROOT } from './program-root.ts';

const Package = z.object({
  version: z.string(),
  license: z.string().default('see the package'),
  dependencies: z.record(z.string(), z.string()).default({}),
});

const packageAt = (path: string): z.infer<typeof Package> =>
  Package.parse(JSON.parse(readFileSync(new URL(`${path}package.json`, PROGRAM_ROOT), 'utf8')));

/** The licence of this program. */
export const LICENCE = packageAt('').license;

/** The packages that this program names as needed, with their licences. Read when they are asked for. */
export const licences = () =>
  Object.keys(packageAt('').dependencies)
    .filter(isHere)
    .map((name) => {
      const { version, license } = packageAt(`node_modules/${name}/`);
      return { name, version, licence: license };
    });

/** An image has none that only the build needs. */
const isHere = (name: string): boolean =>
  existsSync(new URL(`node_modules/${name}/package.json`, PROGRAM_ROOT));
