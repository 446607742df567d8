import { describe, expect, it } from 'vitest';
import { readAptLists } from '../../../../../src/adapters/outbound/hosts/packages/apt/apt-lists.ts';
import { HOUR } from '../../../../../src/domain/base/instant.ts';

const NOW = Date.parse('2026-11-22T06:00:00Z');
const STAMP = 'c'.repeat(64);
const FILE = 'deb.example.org_debian_dists_trixie_InRelease';
const URI = 'http://deb.example.org/debian/dists/trixie/InRelease';
const GOOD = [`stamp ${STAMP}`, `uri ${FILE} ${URI}`, `time 1700000000 /var/lib/apt/lists/${FILE}`];

const read = (lines: readonly string[]) =>
  readAptLists(new Map([['apt-lists', { text: `${lines.join('\n')}\n`, exitCode: 0 }]]), {
    now: NOW,
    notes: ['old key'],
  });

describe('readAptLists', () => {
  it('knows each source once, and believes it for a day', () => {
    expect(read([...GOOD, `uri ${FILE} ${URI}`])).toEqual({
      stamp: STAMP,
      until: NOW + 24 * HOUR,
      sources: [{ uri: URI, changedAtSeconds: 1_700_000_000 }],
      notes: ['old key'],
    });
  });

  it('believes no source for longer than it says itself', () => {
    const ends = ['Sun, 22 Nov 2026 09:00:00 UTC', 'Sat, 28 Nov 2026 09:00:00 UTC'];
    expect(read([...GOOD, ...ends.map((end) => `Valid-Until: ${end}`)])?.until).toBe(NOW + 3 * HOUR);
  });

  it.each([
    ['there is no stamp', GOOD.slice(1)],
    ['there are no sources', GOOD.slice(0, 1)],
    ['a list has another name', [...GOOD, `uri other_InRelease ${URI}`]],
    ['one is not fetched by HTTP', [...GOOD, `uri ${FILE} file:/srv/apt/dists/stable/InRelease`]],
    [
      'one needs a name and a password',
      [...GOOD, `uri ${FILE} http://me:s3cret@deb.example.org/x/InRelease`],
    ],
    ['an address has a break in it', [...GOOD, `uri ${FILE} http://deb.example.org/a\rb/InRelease`]],
    ['one has no time', [...GOOD.slice(0, 2), `time 0 /var/lib/apt/lists/${FILE}`]],
    ['an end is no date', [...GOOD, 'Valid-Until: tomorrow']],
    ['there are too many', [...GOOD, ...Array.from({ length: 200 }, (_, n) => `uri ${FILE} ${URI}${n}`)]],
    [
      'addresses are too long',
      [...GOOD, ...Array.from({ length: 25 }, (_, n) => `uri ${FILE} ${URI}${n}${'x'.repeat(900)}`)],
    ],
    ['too much was printed', [...GOOD, ...Array.from({ length: 2_000 }, () => '')]],
  ])('knows nothing where %s', (_, lines) => {
    expect(read(lines)).toBe(null);
  });
});
