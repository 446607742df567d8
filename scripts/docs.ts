import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { GENERATED_PAGES } from './docs/pages.ts';

for (const { path, text } of GENERATED_PAGES) {
  writeFileSync(fileURLToPath(new URL(`../${path}`, import.meta.url)), text());
}
