import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { PROMISES } from './promises.ts';

function sourceOf(file: string): string {
  const [path = ''] = [`${file}.test.ts`, `${file}.ts`].filter((name) =>
    existsSync(new URL(name, import.meta.url)),
  );
  return readFileSync(new URL(path, import.meta.url), 'utf8');
}

describe.each(Object.entries(PROMISES))('What %s promises', (_subject, promises) => {
  test.each(promises.map(({ what, ...proof }) => [what, proof] as const))('is tested: %s', (_what, proof) => {
    const source = sourceOf(proof.file);
    const quoted = ["'", '"', '`'].map((quote) => `(${quote}${proof.title}${quote}`);
    const wrapped = ["'", '"', '`'].map((quote) => `\n    ${quote}${proof.title}${quote},`);
    expect(
      [...quoted, ...wrapped].some((text) => source.includes(text)),
      proof.title,
    ).toBe(true);
  });
});

test('Each promise is in the table once', () => {
  const all = Object.values(PROMISES).flat();
  expect(new Set(all.map(({ what }) => what)).size).toBe(all.length);
});
