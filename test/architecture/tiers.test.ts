import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { CORE, FULL } from '../tiers.ts';

const TEST = fileURLToPath(new URL('..', import.meta.url));

describe('The tiers', () => {
  it('have every test file that needs more than memory, once', () => {
    const files = readdirSync(TEST, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(sql|fleet|e2e)\.test\.ts$/.test(name))
      .map((name) => name.replace(/\.test\.ts$/, ''));
    expect([...CORE, ...FULL].toSorted()).toEqual(files.toSorted());
  });
});
