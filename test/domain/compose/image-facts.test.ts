import { describe, expect, it } from 'vitest';
import { imageFacts } from '../../../src/domain/compose/image-facts.ts';

const of = (labels: Readonly<Record<string, string>>, created: string | null = null) =>
  imageFacts(
    Object.fromEntries(
      Object.entries(labels).map(([name, text]) => [`org.opencontainers.image.${name}`, text]),
    ),
    created,
  );

describe('what an image says about itself', () => {
  it('is read from its labels', () => {
    expect(of({ created: '2026-11-01T10:00:00Z', version: '1.2', url: 'https://shop.test/' })).toEqual({
      createdAt: Date.UTC(2026, 10, 1, 10),
      version: '1.2',
      changelogUrl: 'https://shop.test/',
    });
  });

  it.each([
    ['2026-11-01T10:00:00Z', Date.UTC(2026, 10, 1, 10)],
    ['1970-01-01T00:00:00Z', null],
    ['0001-01-01T00:00:00Z', null],
    ['soon', null],
  ])('has the time of its build at %s unless that is impossible', (created, at) => {
    expect(of({}, created).createdAt).toBe(at);
  });

  it.each([
    [{ source: 'https://github.com/shop/app.git' }, 'https://github.com/shop/app/releases'],
    [
      { source: 'https://gitlab.com/shop/app', url: 'https://shop.test/' },
      'https://gitlab.com/shop/app/-/releases',
    ],
    [{ source: 'https://git.shop.test/app', url: 'https://shop.test/' }, 'https://shop.test/'],
    [{ source: 'https://git.shop.test/app' }, 'https://git.shop.test/app'],
    [{ source: 'javascript:alert(1)', url: 'https://user:secret@shop.test/' }, null],
    [{ source: `https://shop.test/${'x'.repeat(300)}` }, null],
  ])('links to its changes: %o', (labels, url) => {
    expect(of(labels).changelogUrl).toBe(url);
  });
});
