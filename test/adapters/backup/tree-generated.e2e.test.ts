import { chmod, link, mkdir, rm, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { must } from '../../../scripts/lib/programs.mjs';
import { listed, requestFor, sourceOf, Witness } from '../../contracts/backup-engine.contract.ts';
import { describeWith } from '../../support/capabilities.ts';
import { rounds } from '../../support/rounds.ts';
import { fingerprint } from './fingerprint.ts';
import { withPath } from './host-troubles.ts';
import { LocalWorld } from './local-world.ts';

/** Names of any bytes that a file system takes. */
const name = fc
  .uint8Array({ minLength: 1, maxLength: 40 })
  .map((bytes) => Buffer.from(bytes.map((byte) => (byte === 0 || byte === 0x2f ? 0x5f : byte))))
  .filter((bytes) => !['.', '..'].includes(bytes.toString('latin1')));

type Made =
  | { readonly kind: 'file'; readonly content: Uint8Array; readonly mode: number; readonly at: number }
  | { readonly kind: 'sparse'; readonly size: number }
  | { readonly kind: 'link' | 'symlink' | 'fifo' | 'directory' };

const made: fc.Arbitrary<Made> = fc.oneof(
  fc.record({
    kind: fc.constant('file' as const),
    content: fc.uint8Array({ maxLength: 2_000 }),
    mode: fc.constantFrom(0o644, 0o600, 0o000, 0o4755, 0o2711, 0o444),
    at: fc.double({ min: 0, max: 2_000_000_000, noNaN: true }),
  }),
  fc.record({ kind: fc.constant('sparse' as const), size: fc.integer({ min: 1, max: 5_000_000 }) }),
  fc.record({
    kind: fc.constantFrom('link' as const, 'symlink' as const, 'fifo' as const, 'directory' as const),
  }),
);

interface Step {
  readonly names: readonly Buffer[];
  readonly made: Made;
}

const step: fc.Arbitrary<Step> = fc.record({ names: fc.array(name, { minLength: 1, maxLength: 5 }), made });

const below = (root: string, names: readonly Buffer[]): Buffer =>
  Buffer.concat([Buffer.from(root), ...names.flatMap((each) => [Buffer.from('/'), each])]);

/** What is in the way stays. */
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
    else if (what.kind === 'directory') await mkdir(place);
    else if (what.kind === 'fifo')
      await must('sh', ['-c', 'mkfifo "$(cat "$1")"', 'fifo', await told(root, place)]);
  } catch {
    // a file where a directory is needed, or the other way round
  }
  return first;
}

async function told(root: string, place: Buffer): Promise<string> {
  const file = `${root}.name`;
  await writeFile(file, place);
  return file;
}

describeWith('root', 'generated trees', () => {
  let world: LocalWorld;
  let number = 0;
  beforeAll(async () => {
    world = await LocalWorld.create();
    await must('sh', [
      '-c',
      'mkdir "$1" && for tool in sh find xargs tar date stat head cat id ls df tail mkdir readlink sha256sum rm rmdir; do ln -s "$(command -v $tool)" "$1"; done',
      'tools',
      join(world.directory, 'tools'),
    ]);
  });
  afterAll(() => world.close());

  it('are backed up, changed, backed up on top, and given back as they were', async () => {
    // a host without rsync, so that it all goes as archives
    const host = withPath(world.host, join(world.directory, 'tools'));
    const lists = fc.tuple(fc.array(step, { maxLength: 14 }), fc.array(step, { maxLength: 6 }), fc.nat());
    await fc.assert(
      fc.asyncProperty(lists, async ([steps, changes, doomed]) => {
        number += 1;
        const root = join(world.directory, `tree-${number}`);
        await mkdir(root);
        const source = sourceOf([root]);
        let first: Buffer | null = null;
        for (const each of steps) first = await take(root, each, first);
        const before = await world.engine.backup(requestFor(host, source), new Witness());
        expect(await fingerprint(join(world.filesOf(before), root))).toEqual(await fingerprint(root));
        const wasBefore = await fingerprint(world.filesOf(before));
        const victim = steps[doomed % Math.max(1, steps.length)]?.names[0];
        if (victim) await rm(below(root, [victim]), { recursive: true, force: true });
        for (const each of changes) first = await take(root, each, first);
        const after = await world.engine.backup(requestFor(host, source), new Witness());
        const now = await fingerprint(root);
        expect(await fingerprint(join(world.filesOf(after), root))).toEqual(now);
        expect(await fingerprint(world.filesOf(before))).toEqual(wasBefore);
        const directory = join(world.directory, `back-${number}`);
        const request = { snapshot: listed(after), directory, host, subpaths: [], overwrite: false };
        await world.engine.restore(request, new Witness());
        expect(await fingerprint(join(directory, root))).toEqual(now);
        await must('rm', ['-rf', root, directory]);
      }),
      { numRuns: rounds(10, 2_500), endOnFailure: true },
    );
  }, 3_600_000);
});
