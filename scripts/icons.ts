import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { iconFiles } from './lib/icon-files.ts';

/** Copies the icons that pages use from the package into the file that browsers load. */
for (const { path, text } of iconFiles()) {
  writeFileSync(fileURLToPath(new URL(`../${path}`, import.meta.url)), text);
}
