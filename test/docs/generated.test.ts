import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { GENERATED_PAGES } from '../../scripts/docs/pages.ts';

describe('A generated page is what the program says now (else: npm run docs)', () => {
  test.each(GENERATED_PAGES)('$path', async ({ path, text }) => {
    expect(await readFile(new URL(`../../${path}`, import.meta.url), 'utf8')).toBe(await text());
  });
});
