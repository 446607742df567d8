import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { mkdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, type MockInstance, vi } from 'vitest';
import { must } from '../../../../scripts/lib/programs.mjs';
import { ResticHost } from '../../../../src/adapters/outbound/backup/restic/restic-host.ts';
import type { RemoteHost } from '../../../../src/application/ports/fleet/remote-host.ts';
import type { NewSnapshot } from '../../../../src/domain/backups/snapshot.ts';
import { checkOf, requestFor, sourceOf, Witness } from '../../../contracts/backup-engine.contract.ts';
import { describeWith } from '../../../support/capabilities.ts';
import { ResticFixture } from './restic-fixture.ts';

describeWith('restic', 'the first snapshot of a source by restic', () => {
  let fixture: ResticFixture;
  let root: string;
  let runs: readonly MockInstance<ResticHost['run' | 'lines']>[];
  const commands = (): readonly (string | undefined)[] =>
    runs.flatMap(({ mock }) => mock.calls.map(([{ args }]) => args[0]));
  const manifestOf = ({ sourceId, name }: NewSnapshot): Promise<string> =>
    readFile(join(fixture.root, '7', String(sourceId), 'snapshots', name, 'manifest.jsonl'), 'utf8');
  beforeEach(async () => {
    fixture = await ResticFixture.create();
    root = join(fixture.directory, 'src');
    await mkdir(join(root, 'empty'), { recursive: true });
    await fixture.write(join(root, 'a'), 'content');
    await fixture.write(join(root, 'sub/b'), 'more of it');
    await symlink('a', join(root, 'link'));
    await must('mkfifo', [join(root, 'fifo')]);
    await must('ln', [join(root, 'a'), join(root, 'sub/again')]);
    runs = [vi.spyOn(ResticHost.prototype, 'run'), vi.spyOn(ResticHost.prototype, 'lines')];
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await fixture.close();
  });

  const late = (then?: (script: string) => void): RemoteHost => fixture.hostAt(4_000_000_000, then);

  it('is described by what the host listed while restic read it', async () => {
    const made = await fixture.engine.backup(requestFor(late(), sourceOf([root])), new Witness());
    expect(commands()).toEqual(['backup']);
    expect(made).toMatchObject({ fileCount: 5, totalBytes: 24 });
    await fixture.engine.verify(checkOf(made, fixture.host), new Witness());
    const asListed = await fixture.engine.backup(
      requestFor(fixture.hostAt(0), sourceOf([root])),
      new Witness(),
    );
    expect(commands()).toEqual(['backup', 'restore', 'backup', 'ls']);
    const below = (text: string): readonly string[] =>
      text.split('\n').filter((line) => line.includes(root.slice(1)));
    expect(below(await manifestOf(made))).toEqual(below(await manifestOf(asListed)));
    expect(below(await manifestOf(made))).toHaveLength(8);
  });

  it('is followed by others that the host lists too, if restic found changes', async () => {
    const source = sourceOf([root]);
    await fixture.engine.backup(requestFor(late(), source), new Witness());
    await fixture.write(join(root, 'sub/b'), 'changed to');
    const made = await fixture.engine.backup(requestFor(late(), source), new Witness());
    expect(commands()).toEqual(['backup', 'backup']);
    const sha256 = createHash('sha256').update('changed to').digest('hex');
    expect(await manifestOf(made)).toContain(sha256);
    await fixture.engine.verify(checkOf(made, fixture.host), new Witness());
  });

  it.each([
    ['files are new', [], () => fixture.hostAt(0)],
    ['the source has exclusions, which restic reads in its own way', ['*.tmp'], () => late()],
  ])('is listed by restic if %s', async (_, excludes, host) => {
    const source = sourceOf([root], excludes);
    await fixture.engine.backup(requestFor(host(), source), new Witness());
    expect(commands()).toEqual(['backup', 'ls']);
  });

  it.each([
    ['it is hashed', 'sha256sum <"$path"'],
    ['it is looked at again', '%.9Z'],
    ['all is compared', '| sha256sum'],
  ])('is listed by restic if a file changes before %s, and proved', async (_, command) => {
    let isChanged = false;
    const change = (script: string): void => {
      if (isChanged || !script.includes(command)) return;
      isChanged = true;
      writeFileSync(join(root, 'a'), 'changed');
    };
    const made = await fixture.engine.backup(requestFor(late(change), sourceOf([root])), new Witness());
    expect(isChanged).toBe(true);
    expect(commands()).toEqual(['backup', 'ls']);
    await fixture.engine.verify(checkOf(made, fixture.host), new Witness());
  });
});
