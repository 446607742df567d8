import { link, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as z from 'zod';
import { must } from '../../scripts/lib/programs.mjs';
import { describeWith } from '../support/capabilities.ts';
import { RestClient } from '../support/rest-client.ts';
import { useService } from '../support/service.ts';

const PROGRAM = new URL('../..', import.meta.url).pathname.replace(/\/$/, '');
const REFUSED = 3;
const Snapshots = z.object({ snapshots: z.array(z.object({ source: z.string() })) });
const Check = z.object({ suggested_jail: z.string().nullable() });
const Token = z.object({ secret: z.string() });

describeWith(['rsync', 'root'], "the service's own files, on the machine that it runs on", () => {
  let base: string;
  const service = useService(async () => {
    base = await mkdtemp('/var/tmp/drover-protected-');
    // on the same file system, so that hard links can be made
    await mkdir(path('data'));
    return { dataDir: path('data') };
  });
  const path = (rest: string): string => join(base, rest);

  beforeAll(async () => {
    await mkdir(path('srv/www'), { recursive: true });
    await writeFile(path('srv/www/index'), 'hello');
  });
  afterAll(() => rm(base, { recursive: true, force: true }));

  const cli = (...args: readonly string[]) => service().cli(args);

  it('are backed up by their own source alone, without the master key, and restored elsewhere', async () => {
    await writeFile(join(service().dataDir, 'master-key.old'), 'a former key');
    expect(await cli('job', 'start', '1', 'backup', '--wait')).toMatchObject({ code: 0 });
    const restored = path('restored');
    expect(await cli('restore', '1', '--to', restored, '--yes')).toMatchObject({ code: 0 });
    const found = await must('find', [restored, '-type', 'f']);
    expect(found).toContain('/export/drover.sqlite');
    expect(found).not.toMatch(/master[.-]key/);
  });

  it('are no source by whatever name, while others are backed up', async () => {
    const data = service().dataDir;
    const places = {
      plain: data,
      link: await linked(symlink, data, path('soft')),
      second: await linked(link, join(data, 'drover.sqlite'), path('hard')),
      part: await mounted(join(data, 'export'), path('part')),
      process: `/proc/${service().process.pid}/environ`,
      program: join(PROGRAM, 'bin'),
    };
    for (const [name, place] of Object.entries(places))
      expect(await cli('source', 'add', '1', '--name', name, '--path', place)).toMatchObject({ code: 0 });
    await cli('source', 'add', '1', '--name', 'around', '--path', base);
    expect((await cli('job', 'start', '1', 'backup', '--wait')).code).not.toBe(0);
    const { stdout } = await cli('job', 'show', '2');
    for (const name of Object.keys(places)) expect(stdout).toContain(`Source "${name}" failed:`);
    expect(stdout).not.toContain('Source "around" failed');
    for (const each of [data, path('hard'), path('part')]) expect(stdout).toContain(`Excluded "${each}"`);
    const snapshots = await service().ask(Snapshots, ['snapshot', 'list', '1']);
    expect(snapshots.snapshots.map(({ source }) => source).sort()).toEqual(['around', 'drover', 'drover']);
  });

  it('are not restored over, whether all goes back or a part', async () => {
    const before = await readFile(join(service().dataDir, 'master.key'));
    const refused = { code: REFUSED };
    expect(await cli('restore', '1', '--in-place', '--yes')).toMatchObject(refused);
    expect(await cli('restore', '1', '--to', service().dataDir, '--overwrite', '--yes')).toMatchObject(
      refused,
    );
    expect(await cli('restore', '1', '--to', join(PROGRAM, 'bin'), '--overwrite', '--yes')).toMatchObject(
      refused,
    );
    expect(await readFile(join(service().dataDir, 'master.key'))).toEqual(before);
  });

  it('are out of reach of file tools, the program too', async () => {
    const { suggested_jail: suggested } = await service().ask(Check, ['server', 'check', '1']);
    expect([homedir(), '/root']).not.toContain(suggested);
    const granted = ['--scopes', 'read,files', '--server', '1'];
    const { secret } = await service().ask(Token, ['token', 'create', '--name', 'files', ...granted]);
    const rest = new RestClient(service().url, secret);
    for (const [jail, p] of [
      [PROGRAM, 'bin/drover.mjs'],
      [join(PROGRAM, '..'), `${PROGRAM.split('/').at(-1)}/bin/drover.mjs`],
    ] as const) {
      expect(await cli('server', 'edit', '1', '--jail', jail)).toMatchObject({ code: 0 });
      const { status, body } = await rest.get(`/api/v1/servers/1/files/download?p=${encodeURIComponent(p)}`);
      expect([status, body], jail).toMatchObject([
        expect.any(Number),
        { code: expect.stringMatching(/^(path_refused|jail_unusable)$/) },
      ]);
    }
  });

  const mounts: string[] = [];
  afterAll(async () => {
    for (const each of mounts) await must('umount', [each]);
  });

  async function mounted(from: string, to: string): Promise<string> {
    await mkdir(to);
    await must('mount', ['--bind', from, to]);
    mounts.push(to);
    return to;
  }
});

async function linked(
  make: (target: string, path: string) => Promise<void>,
  target: string,
  path: string,
): Promise<string> {
  await make(target, path);
  return path;
}
