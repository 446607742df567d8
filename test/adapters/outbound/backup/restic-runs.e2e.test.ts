import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest';
import { must } from '../../../../scripts/lib/programs.mjs';
import { ResticHost } from '../../../../src/adapters/outbound/backup/restic/restic-host.ts';
import { ResticInspector } from '../../../../src/adapters/outbound/backup/restic/restic-inspector.ts';
import type { ServicePlaces } from '../../../../src/adapters/outbound/hosts/protection/service-places.ts';
import type { RemoteHost } from '../../../../src/application/ports/fleet/remote-host.ts';
import type { BackupSource } from '../../../../src/domain/backups/backup-source.ts';
import type { NewSnapshot } from '../../../../src/domain/backups/snapshot.ts';
import { DomainError } from '../../../../src/domain/base/errors.ts';
import { checkOf, listed, requestFor, sourceOf, Witness } from '../../../contracts/backup-engine.contract.ts';
import { describeWith } from '../../../support/capabilities.ts';
import { expectRefusal } from '../../../support/expect-refusal.ts';
import { eventually } from '../../../support/processes.ts';
import { placesOf } from '../../../support/service-places.ts';
import { filesWith } from '../../../support/traces.ts';
import { PASSWORD, ResticFixture } from './restic-fixture.ts';

const SCRATCH_PROCESS = fileURLToPath(new URL('scratch-process.ts', import.meta.url));

describeWith('restic', 'restic on a host', () => {
  let fixture: ResticFixture;
  let root: string;
  const origin = async (): Promise<RemoteHost> => fixture.host;
  beforeEach(async () => {
    fixture = await ResticFixture.create();
    root = join(fixture.directory, 'src');
    await fixture.write(join(root, 'a'), 'content');
    await fixture.write(join(root, 'sub/b'), 'more of it');
    await symlink('a', join(root, 'link'));
  });
  afterEach(() => fixture.close());

  const backup = (source = sourceOf([root]), watch = new Witness()): Promise<NewSnapshot> =>
    fixture.engine.backup(requestFor(fixture.host, source), watch);

  it.each(['repositories', 'repositories/1/data'])(
    'keeps no repository in or around %s, if that is the service’s own',
    async (own) => {
      const places = (base: string): ServicePlaces => placesOf(join(base, own));
      const other = await ResticFixture.create({ places });
      other.isNew = true;
      const source = { ...sourceOf([root]), id: 1 };
      await mkdir(other.repositoryOf(1), { recursive: true });
      const inspector = new ResticInspector(places(join(other.repositoryOf(1), '../..')));
      const refused = { code: 'path_refused' };
      try {
        await expect(
          other.engine.backup(requestFor(other.host, source), new Witness()),
        ).rejects.toMatchObject(refused);
        await expect(other.engine.plan({ host: other.host, source }, new Witness())).rejects.toMatchObject(
          refused,
        );
        await expect(inspector.check(other.host, other.opened(1), 0, new Witness())).rejects.toMatchObject(
          refused,
        );
      } finally {
        await other.close();
      }
    },
  );

  it('creates a new repository, once, and never over an existing one', async () => {
    fixture.isNew = true;
    const source = sourceOf([root]);
    const watch = new Witness();
    await fixture.engine.plan({ host: fixture.host, source }, new Witness());
    expect(existsSync(fixture.repositoryOf(source.id))).toBe(false);
    await backup(source, watch);
    expect(watch.text).toContain('The repository "offsite" does not exist yet: creating it.');
    await rm(fixture.repositoryOf(source.id), { recursive: true });
    const refused = await expectRefusal(backup(source), 'repository_unusable');
    expect(refused.message).toContain('does not create it again');
    expect(existsSync(fixture.repositoryOf(source.id))).toBe(false);
    expect(await fixture.engine.published(source)).toHaveLength(1);
  });

  it('hashes contents and reads targets on the host, and reuses what has not changed', async () => {
    const source = sourceOf([root]);
    const manifestOf = async ({ name }: NewSnapshot): Promise<readonly string[]> => {
      const place = join(fixture.root, '7', String(source.id), 'snapshots', name, 'manifest.jsonl');
      return (await readFile(place, 'utf8')).split('\n');
    };
    const first = new Witness();
    const before = await manifestOf(await backup(source, first));
    const sha256 = createHash('sha256').update('content').digest('hex');
    expect(before.find((line) => line.includes(`${root.slice(1)}/a"`))).toContain(`"sha256":"${sha256}"`);
    expect(before.find((line) => line.includes(`${root.slice(1)}/link"`))).toContain('"target":"a"');
    expect(first.text).not.toContain('changed while');
    await fixture.write(join(root, 'sub/b'), 'changed to');
    const after = await manifestOf(await backup(source));
    expect(after.filter((line) => !before.includes(line)).join('\n')).toMatch(/sub\/b"/);
    expect(after.find((line) => line.includes(`${root.slice(1)}/a"`))).toContain(sha256);
  });

  describe('a source in which nothing has changed', () => {
    let runs: readonly MockInstance<ResticHost['run' | 'lines']>[];
    const commands = (): readonly (string | undefined)[] =>
      runs.flatMap(({ mock }) => mock.calls.map(([{ args }]) => args[0]));
    const manifestOf = ({ sourceId, name }: NewSnapshot): Promise<string> =>
      readFile(join(fixture.root, '7', String(sourceId), 'snapshots', name, 'manifest.jsonl'), 'utf8');
    /** Directories above a source count, and the one for temporary files changes all the time. */
    let calm: string;
    let source: BackupSource;
    let before: NewSnapshot;
    beforeEach(async () => {
      calm = await mkdtemp('/var/tmp/drover-restic-');
      await cp(root, calm, { recursive: true, verbatimSymlinks: true });
      source = sourceOf([calm]);
      before = await backup(source);
      runs = [vi.spyOn(ResticHost.prototype, 'run'), vi.spyOn(ResticHost.prototype, 'lines')];
    });
    afterEach(async () => {
      vi.restoreAllMocks();
      await rm(calm, { recursive: true });
    });

    it('needs one run of restic, and its manifest is the last one', async () => {
      const after = await backup(source);
      expect(commands()).toEqual(['backup']);
      expect(await manifestOf(after)).toBe(await manifestOf(before));
      expect(after).toMatchObject({
        fileCount: before.fileCount,
        totalBytes: before.totalBytes,
        manifestSha256: before.manifestSha256,
      });
      const [first, second] = (await fixture.engine.published(source)).map(({ name }) =>
        readFileSync(
          join(fixture.root, '7', String(before.sourceId), 'snapshots', name, 'restic.json'),
          'utf8',
        ),
      );
      expect(first).not.toBe(second);
      await fixture.engine.verify(checkOf(after, fixture.host), new Witness());
    });

    it.each([
      ['a link that leads elsewhere', 'link', ['-sfn', 'sub/b']],
      ['a link that is new', 'another', ['-s', 'a']],
    ])('lists the snapshot for %s', async (_, name, args) => {
      await must('ln', [...args, join(calm, name)]);
      const after = await fixture.engine.backup(requestFor(fixture.hostAt(0), source), new Witness());
      expect(commands()).toEqual(['backup', 'ls']);
      expect(await manifestOf(after)).toContain(`"target":"${args.at(-1)}"`);
      expect(await manifestOf(after)).not.toBe(await manifestOf(before));
    });

    it('lists the snapshot for a manifest that is damaged', async () => {
      const place = join(
        fixture.root,
        '7',
        String(before.sourceId),
        'snapshots',
        before.name,
        'manifest.jsonl',
      );
      await writeFile(place, (await readFile(place, 'utf8')).replace('"uid":', '"uid":1'));
      const after = await fixture.engine.backup(requestFor(fixture.hostAt(0), source), new Witness());
      expect(commands()).toEqual(['backup', 'ls']);
      expect(after.manifestSha256).toBe(before.manifestSha256);
    });

    it('compares with what there is if the last snapshot is gone from the repository', async () => {
      await fixture.restic(before.sourceId, 'backup', '-q', calm);
      const listing = await fixture.restic(before.sourceId, 'snapshots', '--json', '--tag', 'drover');
      const [{ id }] = JSON.parse(listing) as [{ id: string }];
      await fixture.restic(before.sourceId, 'forget', '-q', id);
      const after = await fixture.engine.backup(requestFor(fixture.hostAt(0), source), new Witness());
      expect(commands()).toEqual(['backup', 'backup', 'ls']);
      expect(await manifestOf(after)).toBe(await manifestOf(before));
    });
  });

  it('says that the password is wrong, and does not tell it', async () => {
    const source = sourceOf([root]);
    await backup(source);
    fixture.secrets = { password: 'another secret', login: null };
    const watch = new Witness();
    const refused = await expectRefusal(backup(source, watch), 'repository_unusable');
    expect(refused.message).toContain('the stored password is wrong');
    expect(`${refused.message}${watch.text}`).not.toContain('another secret');
  });

  it('keeps the password out of process lists and files', async () => {
    const seen: string[] = [];
    const { signal, log } = new Witness();
    const look = (): void => void seen.push(...commandLinesWith(PASSWORD));
    const watch = { signal, log, progress: look };
    const source = sourceOf([root]);
    const looking = setInterval(look, 10);
    try {
      const made = await fixture.engine.backup(requestFor(fixture.host, source), watch);
      await fixture.engine.verify(checkOf(made, fixture.host), watch);
    } finally {
      clearInterval(looking);
    }
    expect(seen).toEqual([]);
    expect(await filesWith(join(fixture.root, '..'), [PASSWORD])).toEqual([]);
  });

  it('leaves nothing that passes for a backup where it is stopped before the end', async () => {
    const source = sourceOf([root]);
    await fixture.engine.backup(requestFor(fixture.host, source), new Witness());
    await fixture.restic(source.id, 'backup', '--tag', 'of-others', root);
    const stopping = new Witness();
    const { signal, log } = stopping;
    const reason = new DomainError('job_cancelled', 'Cancelled.');
    const progress = (current: string): void => {
      if (current === 'Writing the manifest') stopping.aborting.abort(reason);
    };
    const stopped = fixture.engine.backup(requestFor(fixture.host, source), { signal, log, progress });
    await expect(stopped).rejects.toBe(reason);
    expect(await fixture.engine.published(source)).toHaveLength(1);
    expect(await fixture.inRepository(source.id)).toHaveLength(3);
    await backup(source);
    expect(await fixture.engine.published(source)).toHaveLength(2);
    // its own leftover is removed, others' are not
    expect(await fixture.inRepository(source.id)).toHaveLength(3);
    expect(await fixture.restic(source.id, 'snapshots', '--tag', 'of-others')).toContain('1 snapshots');
  });

  it('removes the lock of a run that was killed', async () => {
    const source = sourceOf([root]);
    const made = await backup(source);
    await leftLock(source.id);
    const watch = new Witness();
    await fixture.engine.remove(listed(made), origin, new Witness());
    await fixture.engine.reclaim(source, origin, watch);
    expect(await fixture.inRepository(source.id)).toEqual([]);
    expect(readdirSync(join(fixture.repositoryOf(source.id), 'locks'))).toEqual([]);
  });

  it('waits for no lock forever, reports who holds the repository, and ends the removal later', async () => {
    const source = sourceOf([root]);
    const made = await backup(source);
    const holder = await heldLock(source.id);
    try {
      const refused = await expectRefusal(
        fixture.engine.remove(listed(made), origin, new Witness()),
        'repository_unusable',
      );
      expect(refused.message).toContain(`PID ${holder.pid}`);
      expect(await fixture.engine.published(source)).toEqual([]);
    } finally {
      await ended(holder, 'SIGTERM');
    }
    await fixture.engine.reclaim(source, origin, new Witness());
    expect(await fixture.inRepository(source.id)).toEqual([]);
  });

  it('is reported while it waits for a removal, and ends that on cancel', async () => {
    const patient = await ResticFixture.create({ lockPatienceMs: 600_000 });
    try {
      await patient.write(join(patient.directory, 'src/a'), 'content');
      const source = sourceOf([join(patient.directory, 'src')]);
      const made = await patient.engine.backup(requestFor(patient.host, source), new Witness());
      const holder = await heldLock(source.id, patient);
      const watch = new Witness();
      const reason = new DomainError('job_cancelled', 'Cancelled.');
      try {
        const removing = patient.engine.remove(listed(made), async () => patient.host, watch);
        await Promise.all([
          expect(removing).rejects.toBe(reason),
          eventually('the wait is told', 60_000, async () =>
            watch.text.includes(`PID ${holder.pid}`) ? true : undefined,
          ).then(() => watch.aborting.abort(reason)),
        ]);
      } finally {
        await ended(holder, 'SIGTERM');
      }
    } finally {
      await patient.close();
    }
  });

  it('does not name files as missing where the repository does not open', async () => {
    const source = sourceOf([root]);
    const made = await backup(source);
    const right = fixture.secrets;
    fixture.secrets = { ...right, password: 'another one' };
    const refused = await expectRefusal(
      fixture.engine.verify(checkOf(made, fixture.host), new Witness()),
      'repository_unusable',
    );
    expect(refused.message).toContain('the stored password is wrong');
    fixture.secrets = right;
    await fixture.engine.verify(checkOf(made, fixture.host), new Witness());
  });

  it('says that a backup does not fix what was found damaged', async () => {
    const source = sourceOf([root]);
    const made = await backup(source);
    const watch = new Witness();
    const again = { ...requestFor(fixture.host, source), distrusted: [made.name] };
    await fixture.engine.backup(again, watch);
    expect(watch.text).toContain('snapshot of this source is damaged');
  });

  it('restores files to another machine through its host', async () => {
    const made = await backup();
    const directory = join(fixture.directory, 'there');
    await mkdir(directory);
    const order = { snapshot: listed(made), directory, host: fixture.host, origin, overwrite: false };
    const all = await fixture.engine.restore({ ...order, subpaths: [] }, new Witness());
    expect(all).toEqual({ files: 3, bytes: 17 });
    expect(await fixture.read(`${directory}${root}/link`)).toBe('content');
    const sub = { ...order, directory: join(fixture.directory, 'part'), subpaths: [`${root.slice(1)}/sub`] };
    expect(await fixture.engine.restore(sub, new Witness())).toEqual({ files: 1, bytes: 10 });
  });

  it('does not write through a link that has taken the place of a directory', async () => {
    const made = await backup();
    const elsewhere = join(fixture.directory, 'elsewhere');
    await mkdir(elsewhere);
    await rm(join(root, 'sub'), { recursive: true });
    await symlink(elsewhere, join(root, 'sub'));
    const order = {
      snapshot: listed(made),
      directory: '/',
      host: fixture.host,
      subpaths: [],
      overwrite: true,
    };
    const refused = await expectRefusal(fixture.engine.restore(order, new Witness()), 'restore_failed');
    expect(refused.message).toContain('symbolic link');
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  it('says what is missing on a host without restic', async () => {
    const bare: RemoteHost = {
      run: (command, options) => fixture.host.run(without(command), options),
      open: (command, options) => fixture.host.open(without(command), options),
      release: () => undefined,
    };
    const refused = await expectRefusal(
      fixture.engine.backup(requestFor(bare, sourceOf([root])), new Witness()),
      'host_tool_missing',
    );
    expect(refused.message).toContain('restic is not installed on the host');
  });

  it('removes its scratch place when the service is killed', async () => {
    const base = join(fixture.directory, 'scratch');
    const child = spawn(process.execPath, ['--import', 'tsx', SCRATCH_PROCESS, base], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const directory = line.toString().trim();
    expect(existsSync(join(directory, 'file'))).toBe(true);
    await ended(child, 'SIGKILL');
    await eventually('the scratch place is gone', 60_000, async () =>
      existsSync(directory) ? undefined : true,
    );
    expect(readdirSync(base)).toEqual([]);
  });

  /** A backup from standard input that holds its lock for as long as it lives. */
  async function heldLock(sourceId: number, where = fixture): Promise<ChildProcess> {
    const env = {
      ...process.env,
      RESTIC_PASSWORD: PASSWORD,
      RESTIC_REPOSITORY: where.repositoryOf(sourceId),
    };
    const child = spawn('restic', ['backup', '--stdin', '--quiet'], {
      env,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    await eventually('restic has its lock', 60_000, async () =>
      readdirSync(join(where.repositoryOf(sourceId), 'locks')).length > 0 ? true : undefined,
    );
    return child;
  }

  const leftLock = async (sourceId: number): Promise<void> => ended(await heldLock(sourceId), 'SIGKILL');
});

async function ended(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  const gone = once(child, 'exit');
  child.kill(signal);
  await gone;
}

/** As if nothing were installed: the shell finds no program of that name. */
const without = <C extends { readonly script: string }>(command: C): C => ({
  ...command,
  script: `command() { [ "$2" != restic ]; }\n${command.script}`,
});

const commandLinesWith = (text: string): string[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((name) => {
      try {
        const line = readFileSync(`/proc/${name}/cmdline`, 'utf8');
        return line.includes(text) ? [line] : [];
      } catch {
        return [];
      }
    });
