import { once } from 'node:events';
import { chmod, link, mkdir, rename, rm, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { must } from '../../../../scripts/lib/programs.mjs';
import { listed, requestFor, sourceOf, Witness } from '../../../contracts/backup-engine.contract.ts';
import { describeWith } from '../../../support/capabilities.ts';
import { rounds } from '../../../support/rounds.ts';
import { fingerprint } from './fingerprint.ts';
import { withPath } from './host-troubles.ts';
import { LocalFixture } from './local-fixture.ts';

/** Names of any bytes that a file system takes. */
const name = fc
  .uint8Array({ minLength: 1, maxLength: 40 })
  .map((bytes) => Buffer.from(bytes.map((byte) => (byte === 0 || byte === 0x2f ? 0x5f : byte))))
  .filter((bytes) => !['.', '..'].includes(bytes.toString('latin1')));

type Made =
  | { readonly kind: 'file'; readonly content: Uint8Array; readonly mode: number; readonly at: number }
  | { readonly kind: 'sparse'; readonly size: number }
  | { readonly kind: 'directory' | 'deep'; readonly mode: number }
  | { readonly kind: 'link' | 'symlink' | 'fifo' | 'socket' };

const made: fc.Arbitrary<Made> = fc.oneof(
  fc.record({
    kind: fc.constant('file' as const),
    content: fc.uint8Array({ maxLength: 2_000 }),
    mode: fc.constantFrom(0o644, 0o600, 0o000, 0o4755, 0o2711, 0o444),
    at: fc.double({ min: 0, max: 2_000_000_000, noNaN: true }),
  }),
  fc.record({ kind: fc.constant('sparse' as const), size: fc.integer({ min: 1, max: 5_000_000 }) }),
  fc.record({
    kind: fc.constantFrom('directory' as const, 'deep' as const),
    mode: fc.constantFrom(0o755, 0o700, 0o000, 0o1777, 0o2750),
  }),
  fc.record({
    kind: fc.constantFrom('link' as const, 'symlink' as const, 'fifo' as const, 'socket' as const),
  }),
);

interface Step {
  readonly names: readonly Buffer[];
  readonly made: Made;
}

const step: fc.Arbitrary<Step> = fc.record({ names: fc.array(name, { minLength: 1, maxLength: 5 }), made });

const below = (root: string, names: readonly Buffer[]): Buffer =>
  Buffer.concat([Buffer.from(root), ...names.flatMap((each) => [Buffer.from('/'), each])]);

/** Existing files stay. */
async function take(root: string, { names, made: what }: Step, first: Buffer | null): Promise<Buffer | null> {
  const place = below(root, names);
  try {
    await mkdir(below(root, names.slice(0, -1)), { recursive: true });
    if (what.kind === 'file') {
      await writeFile(place, what.content, { flag: 'wx' });
      await chmod(place, what.mode);
      await utimes(place, what.at, what.at);
      return place;
    }
    if (what.kind === 'sparse') {
      await writeFile(place, 'start', { flag: 'wx' });
      await truncate(place, what.size);
    } else if (what.kind === 'link' && first) await link(first, place);
    else if (what.kind === 'symlink') await symlink(Buffer.concat(names), place);
    else if (what.kind === 'directory') await mkdir(place, { mode: what.mode });
    else if (what.kind === 'deep') {
      await mkdir(Buffer.concat([place, Buffer.from('/deeper'.repeat(60))]), { recursive: true });
      await chmod(place, what.mode);
    } else if (what.kind === 'fifo') {
      await must('mkfifo', [`${root}.fifo`]);
      await rename(`${root}.fifo`, place);
    } else if (what.kind === 'socket') await makeSocket(`${root}.socket`, place);
  } catch {
    // a file in place of a needed directory, or the other way round
  }
  return first;
}

/** It stays without a listener, as long as its name is different. */
async function makeSocket(here: string, place: Buffer): Promise<void> {
  const server = createServer().listen(here);
  await once(server, 'listening');
  await rename(here, place);
  server.close();
}

/** Of one backup. */
const TREES = 10;

describeWith('root', 'generated trees', () => {
  let fixture: LocalFixture;
  let number = 0;
  beforeAll(async () => {
    fixture = await LocalFixture.create();
    await must('sh', [
      '-c',
      'mkdir "$1" && for tool in sh find xargs tar date stat head cat id ls df tail mkdir readlink sha256sum rm rmdir; do ln -s "$(command -v $tool)" "$1"; done',
      'tools',
      join(fixture.directory, 'tools'),
    ]);
  });
  afterAll(() => fixture.close());

  it('are backed up, changed, backed up on top, and restored as they were', async () => {
    // a host without rsync, so that it all goes as archives
    const host = withPath(fixture.host, join(fixture.directory, 'tools'));
    const tree = fc.tuple(fc.array(step, { maxLength: 14 }), fc.array(step, { maxLength: 6 }), fc.nat());
    await fc.assert(
      fc.asyncProperty(fc.array(tree, { minLength: TREES, maxLength: TREES }), async (trees) => {
        number += 1;
        const root = join(fixture.directory, `trees-${number}`);
        const source = sourceOf([root]);
        const firsts: (Buffer | null)[] = [];
        for (const [index, [steps]] of trees.entries()) {
          await mkdir(join(root, String(index)), { recursive: true });
          let first: Buffer | null = null;
          for (const each of steps) first = await take(join(root, String(index)), each, first);
          firsts.push(first);
        }
        const before = await fixture.engine.backup(requestFor(host, source), new Witness());
        expect(await fingerprint(join(fixture.filesOf(before), root))).toEqual(await fingerprint(root));
        const wasBefore = await fingerprint(fixture.filesOf(before));
        for (const [index, [steps, changes, doomed]] of trees.entries()) {
          const place = join(root, String(index));
          const victim = steps[doomed % Math.max(1, steps.length)]?.names[0];
          if (victim) await rm(below(place, [victim]), { recursive: true, force: true });
          let first = firsts[index] ?? null;
          for (const each of changes) first = await take(place, each, first);
        }
        const after = await fixture.engine.backup(requestFor(host, source), new Witness());
        expect(await fingerprint(join(fixture.filesOf(after), root))).toEqual(await fingerprint(root));
        expect(await fingerprint(fixture.filesOf(before))).toEqual(wasBefore);
        for (const [index, snapshot] of [before, after].entries()) {
          const directory = join(fixture.directory, `back-${number}-${index}`);
          const request = { snapshot: listed(snapshot), directory, host, subpaths: [], overwrite: false };
          await fixture.engine.restore(request, new Witness());
          // no archive has sockets
          const kept = await fingerprint(join(fixture.filesOf(snapshot), root), { sockets: false });
          expect(await fingerprint(join(directory, root))).toEqual(kept);
          await must('rm', ['-rf', directory]);
          await fixture.engine.remove(listed(snapshot));
        }
        await must('rm', ['-rf', root]);
      }),
      { numRuns: rounds(2, 250), endOnFailure: true },
    );
  }, 3_600_000);
});
