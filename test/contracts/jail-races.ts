import { expect } from 'vitest';
import type { JailFs } from '../../src/application/ports/files/jail-fs.ts';
import { isDomainError } from '../../src/domain/base/errors.ts';
import type { JailPath } from '../../src/domain/files/jail-path.ts';
import { CANARY, DEEPEST, OUTSIDE } from '../support/jail-attack.ts';
import type { Runs } from '../support/jail-fixture.ts';
import { at, chunks } from './jail-bench.ts';

/** Does one thing to the `round`th of its names; returns what it has read. */
type Attempt = (fs: JailFs, round: number) => Promise<unknown>;

const inDeepest = (name: string) => at(`${DEEPEST}/${name}`);
const RANGE = { offset: 0, length: 1_000 };
const asText = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');

const read: Attempt = async (fs) => asText((await fs.read(inDeepest('file'), RANGE)).bytes);
const list: Attempt = async (fs) => {
  const { entries } = await fs.list(at(DEEPEST), 100);
  return entries.map(({ name }) => asText(name));
};
const stat: Attempt = async (fs) => (await fs.stat(inDeepest('file'))).size;

/** Every kind of operation; reads are the most frequent. Writes wait for the disk. */
const ATTEMPTS: readonly Attempt[] = [
  read,
  list,
  stat,
  async (fs) => asText((await fs.read(inDeepest('full/file'), RANGE)).bytes),
  async (fs) => {
    const { content } = await fs.readStream(inDeepest('file'), 1_000);
    return asText(Buffer.concat((await content.toArray()) as Buffer[]));
  },
  async (fs) => (await fs.list(inDeepest('full'), 100)).entries.map(({ name }) => asText(name)),
  read,
  (fs, round) => fs.makeDirectory(inDeepest(`made-${round % 7}`)),
  (fs, round) => fs.rename(inDeepest(`made-${round % 7}`), `renamed-${round % 3}`),
  stat,
  (fs, round) => fs.remove(inDeepest(`renamed-${round % 3}`)),
  (fs, round) => fs.remove(inDeepest(`made-${round % 7}`)),
  list,
  (fs) => fs.remove(inDeepest('only-outside')),
  (fs, round) => fs.write(inDeepest(`written-${round % 5}`), chunks('mine'), { expect: 'any', most: 100 }),
  (fs, round) => fs.remove(inDeepest(`written-${round % 5}`)),
  read,
  (fs) => fs.write(inDeepest('full/new'), chunks('mine'), { expect: 'absent', most: 100 }),
  (fs) => fs.remove(inDeepest('full/new')),
  (fs) => fs.stat(inDeepest('full')),
];

/** Actions beyond single files. The removed directory is created again for the next time. */
export const ON_TREES: readonly Attempt[] = [
  treeOf(() => at(DEEPEST)),
  (fs, round) => fs.changeMode(inDeepest('file'), round % 2 === 0 ? 0o600 : 0o644),
  treeOf(() => at('a')),
  (fs, round) => fs.changeMode(inDeepest('full'), round % 2 === 0 ? 0o700 : 0o755),
  (fs) => fs.removeTree(inDeepest('full')),
  (fs) => fs.makeDirectory(inDeepest('full')),
  (fs) => fs.makeDirectory(inDeepest('full/within')),
  (fs) => fs.write(inDeepest('full/file'), chunks('inside'), { expect: 'any', most: 100 }),
  treeOf(() => inDeepest('full')),
  (fs) => fs.removeTree(inDeepest('full')),
  (fs) => fs.makeDirectory(inDeepest('full')),
  (fs) => fs.removeTree(inDeepest('only-outside')),
];

/** The names, and a canary's size if it shows one. */
function treeOf(where: () => JailPath): Attempt {
  return async (fs) => {
    const { entries } = await fs.tree(where(), 100);
    const canary = entries.some(({ kind, size }) => kind === 'file' && size === CANARY.length);
    return canary
      ? CANARY
      : entries
          .map(({ names }) => asText(names.at(-1) ?? Buffer.alloc(0)))
          .filter((name) => name === 'only-outside');
  };
}

export interface Race {
  /** The attack's place, and how to check it. */
  readonly root: string;
  readonly run: Runs;
  /** Of all kinds together, and how many of them concurrently. */
  readonly count: number;
  readonly parallel: number;
  /** Those on single files where left out. */
  readonly attempts?: readonly Attempt[];
}

/** Runs this many operations; fails if one read something outside, or something has changed there. */
export async function withoutEscape(
  fs: JailFs,
  { root, run, count, parallel, attempts = ATTEMPTS }: Race,
): Promise<void> {
  const before = (await run(OUTSIDE, [root])).toString();
  let next = 0;
  let refused = 0;
  const escapes: string[] = [];
  const worker = async (): Promise<void> => {
    while (next < count) {
      const round = next;
      next += 1;
      const attempt = attempts[round % attempts.length] ?? read;
      try {
        const found = await attempt(fs, Math.floor(round / attempts.length));
        if (isOutside(found)) escapes.push(`${round % attempts.length}: ${JSON.stringify(found)}`);
      } catch (error) {
        // only refusals; anything else is our fault
        if (!isDomainError(error)) throw error;
        expect(error.code, error.message).not.toMatch(/^host_(timeout|connection_lost)$/);
        refused += 1;
      }
    }
  };
  await Promise.all(Array.from({ length: parallel }, worker));
  expect(escapes).toEqual([]);
  expect((await run(OUTSIDE, [root])).toString()).toBe(before);
  // calls got through, and calls met a swap: of each at least one in fifty
  expect(Math.min(count - refused, refused)).toBeGreaterThan(count / 50);
}

const isOutside = (found: unknown): boolean =>
  found === CANARY.length ||
  found === CANARY ||
  (Array.isArray(found) && (found.includes('only-outside') || found.includes('canary-directory')));

/** Reads the file by a way that looks before it opens, until that reads the canary; returns how many tries it took. */
export async function escapeOf(naive: () => Promise<Uint8Array>, most: number): Promise<number> {
  for (let round = 1; round <= most; round += 1) {
    const bytes = await naive().catch(() => null);
    if (bytes !== null && asText(bytes) === CANARY) return round;
  }
  throw new Error(`the attacker did nothing to a naive reader in ${most} tries`);
}
