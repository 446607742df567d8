import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { JailFs } from '../../src/application/ports/files/jail-fs.ts';
import { isDomainError } from '../../src/domain/base/errors.ts';
import { JailPath } from '../../src/domain/files/jail-path.ts';
import { CANARY } from '../support/jail-attack.ts';
import type { JailFixture } from '../support/jail-fixture.ts';
import { rounds } from '../support/rounds.ts';
import { OPERATIONS } from './jail-escapes.contract.ts';
import type { JailSubject } from './jail-fs.contract.ts';

const INSIDE = 'inside';

/** Existing names, names that lead outside, and names that path parsers have failed on. */
const NAMES = [
  'dir',
  'sub',
  'file',
  'new',
  "it's",
  'a b',
  '-rf',
  'größe',
  'Dir',
  'FILE',
  'out',
  'up',
  'root',
  'absolute',
  'self',
  'loop',
  'dangling',
  'canary',
  'link',
  'outside',
  'jail-sibling',
  '..',
  '.',
  '',
  ' ',
  '.. ',
  ' ..',
  '...',
  '..\0',
  '.\u200b.',
  '\u2024\u2024',
  '．．',
  '%2e%2e',
  '%2e%2e%2fcanary',
  '..\\canary',
  '\\',
  '..;',
  '"..',
  "'..",
  '$(cat ../outside/canary)',
  '`..`',
  '~',
  '*',
  '?',
  '[.][.]',
  '{..,.}',
  '--',
  '-',
  '\n',
  '..\n',
  '\r',
  '\t',
  '\u202e..',
  '\ufeff',
  'é',
  'e\u0301',
  'x'.repeat(255),
  'x'.repeat(256),
  'ü'.repeat(128),
];
const SEPARATORS = ['/', '/', '/', '/', '//', '\\', '/./', '/../', ' / ', '%2f', '\u2215', ':'];

const name = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...NAMES) },
  fc.string({ maxLength: 12, unit: 'binary' }),
);
const plainPath = fc
  .array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 5 })
  .map((names) => names.join('/'));
const realPath = fc
  .tuple(fc.constantFrom('', 'dir/', 'dir/sub/'), fc.oneof(fc.constant('file'), fc.constantFrom(...NAMES)))
  .map((pair) => pair.join(''));
const oddPath = fc
  .array(fc.tuple(name, fc.constantFrom(...SEPARATORS)), { minLength: 1, maxLength: 6 })
  .map((pairs) => pairs.flat().slice(0, -1).join(''));
const someCase = fc.record({
  path: fc.oneof(plainPath, plainPath, realPath, oddPath, fc.string({ unit: 'binary' })),
  operation: fc.constantFrom(...Object.keys(OPERATIONS)),
});

/** The setup stays: it is removed only by a path that leads elsewhere. */
const takesAway = (path: string, operation: string): boolean => {
  const names = path.split('/');
  const last = names.pop();
  return ['rename', 'remove'].includes(operation) && last !== 'new' && names.every((each) => REAL.has(each));
};
const REAL = new Set(['dir', 'sub']);

async function arrange(fixture: JailFixture): Promise<void> {
  for (const place of ['outside', 'jail-sibling', 'outside/dir', 'outside/sub']) {
    await fixture.file(`${place}/canary`, CANARY);
    await fixture.file(`${place}/file`, CANARY);
  }
  for (const place of ['', 'dir', 'dir/sub']) {
    const at = (entry: string): string => ['jail', place, entry].filter(Boolean).join('/');
    await fixture.file(at('file'), INSIDE);
    const above = '../'.repeat(at('x').split('/').length - 1);
    await fixture.link(at('out'), `${above}outside`);
    await fixture.link(at('up'), '..');
    await fixture.link(at('root'), '/');
    await fixture.link(at('absolute'), `${fixture.root}/outside`);
    await fixture.link(at('self'), 'self');
    await fixture.link(at('loop'), 'loop/loop');
    await fixture.link(at('dangling'), `${above}outside/made`);
    await fixture.link(at('canary'), `${above}outside/canary`);
    await fixture.link(at('link'), 'out');
  }
}

const OUTSIDE = ['outside', 'outside/dir', 'outside/sub', 'jail-sibling'];
const outside = (fixture: JailFixture): Promise<unknown> =>
  Promise.all(
    OUTSIDE.flatMap((place) => [
      fixture.names(place),
      ...['file', 'canary'].map(async (file) => (await fixture.see(`${place}/${file}`))?.content?.toString()),
    ]),
  );

async function attempt(fs: JailFs, path: string, operation: string): Promise<string> {
  try {
    const found = await OPERATIONS[operation]?.(fs, JailPath.parse(path));
    return textOf(found);
  } catch (error) {
    if (isDomainError(error)) return error.message;
    throw error;
  }
}

/** Everything that is in a result, as text. */
function textOf(found: unknown): string {
  if (found instanceof Uint8Array) return Buffer.from(found).toString('latin1');
  if (Array.isArray(found)) return found.map(textOf).join('\n');
  if (typeof found === 'object' && found !== null) return Object.values(found).map(textOf).join('\n');
  return String(found);
}

/** Whatever path is asked for, nothing outside is read or changed. */
export function jailPathsContract(subjectName: string, makeSubject: () => Promise<JailSubject>): void {
  it(`${subjectName}: generated paths read and change nothing outside`, async () => {
    const subject = await makeSubject();
    const { jails, access, fixture } = subject;
    await arrange(fixture);
    const before = await outside(fixture);
    const fs = await jails.open(access, `${fixture.root}/jail`);
    let inside = 0;
    const property = fc.asyncProperty(someCase, async ({ path, operation }) => {
      fc.pre(!takesAway(path, operation));
      const text = await attempt(fs, path, operation);
      expect(text).not.toContain(CANARY);
      if (text.includes(INSIDE) || text.includes('overwritten')) inside += 1;
    });
    // the first shows that the inside can be read
    const examples: [{ path: string; operation: string }][] = [[{ path: 'dir/sub/file', operation: 'read' }]];
    await fc.assert(property, { numRuns: rounds(150, 20_000), endOnFailure: true, examples });
    expect(await outside(fixture)).toEqual(before);
    expect(inside).toBeGreaterThan(0);
    fs.close();
    await subject.close();
  });
}
