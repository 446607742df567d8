import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { useHost } from '../fleet/use-host.ts';
import { describeWith } from '../support/capabilities.ts';
import { RestClient } from '../support/rest-client.ts';
import { useService } from '../support/service.ts';
import { treeOf } from '../support/tree.ts';
import { enrol } from './enrol.ts';
import { filesOf, listed } from './snapshots.ts';

/** A shell that reads any of it as code leaves a file of this name in its working directory. */
const MARK = 'drover-was-here';
const PAYLOADS = [
  `a\nnew line "double" 'single' $(touch ${MARK}) \`touch ${MARK}\``,
  `; touch ${MARK};`,
  `'; touch ${MARK} #`,
  `"; touch ${MARK} #`,
  `$(touch ${MARK})`,
  `-e sh -c touch\${IFS}${MARK}`,
  '--rsync-path=touch drover-was-here',
  '-oProxyCommand=touch drover-was-here',
  'back\\slash * ? [a-z] {a,b} ~ ! # % & | < > ',
  ' blanks around ',
];
const DIRECTORY = `/srv/a\n$(touch ${MARK}) "x" 'y' \`touch ${MARK}\`; touch ${MARK} -v`;

const DIGESTS = 'cd -- "$1" && find . -type f -print0 | sort -z | xargs -0 sha256sum -z | tr "\\\\0" "|"';

describeWith(['fleet', 'rsync'], 'names that are commands to a careless shell', () => {
  const host = useHost();
  const service = useService();
  let rest: RestClient;
  let id: number;
  let work: string;
  beforeAll(async () => {
    work = await mkdtemp(join(tmpdir(), 'drover-hostile-'));
    rest = new RestClient(service().url, await service().token());
    id = await enrol(service(), host(), 'web', { options: ['--features', 'backup=on'] });
    for (const name of PAYLOADS) await host().writeFile(`${DIRECTORY}/${name}`, name);
  });
  afterAll(() => rm(work, { recursive: true, force: true }));

  /** Files with the mark's name, wherever they could have been made: by the service, the command line, or the host. */
  async function traces(): Promise<readonly string[]> {
    const there = await host().exec('find / -xdev -name "$1" -print', [MARK]);
    const roots = [work, service().dataDir, process.cwd(), tmpdir(), '/root', '/'];
    const here = await Promise.all(roots.map((root) => readdir(root)));
    return [...there.split('\n').filter(Boolean), ...here.flat().filter((name) => name === MARK)];
  }

  it('are backed up like any other', async () => {
    const source = ['source', 'add', 'web', '--name', 'odd', '--path', DIRECTORY];
    const excludes = ['--exclude', `$(touch ${MARK})/`, '--exclude', `; touch ${MARK}; *.none`];
    expect(await service().cli([...source, ...excludes], { cwd: work })).toMatchObject({ code: 0 });
    const job = await rest.run(id, { job_type: 'backup' });
    expect(job).toMatchObject({ status: 'success', error: null });
    const [snapshot] = await listed(rest, id);
    if (!snapshot) throw new Error('there is a snapshot');
    const files = await treeOf(join(filesOf(service(), snapshot), DIRECTORY));
    expect(Object.keys(files).sort()).toEqual(PAYLOADS.toSorted());
    expect(await traces()).toEqual([]);
  });

  it('are restored to directories of such names, here and there', async () => {
    const [snapshot] = await listed(rest, id);
    const target = `$(touch ${MARK}) "it's" \`touch ${MARK}\``;
    const restore = ['restore', String(snapshot?.id), '--to'];
    expect(await service().cli([...restore, join(work, target)], { cwd: work })).toMatchObject({ code: 0 });
    const onHost = await service().cli([...restore, `/var/tmp/${target}`, '--on-host'], { cwd: work });
    expect(onHost).toMatchObject({ code: 0 });
    const original = await host().exec(DIGESTS, [DIRECTORY]);
    expect(await host().exec(DIGESTS, [`/var/tmp/${target}${DIRECTORY}`])).toBe(original);
    expect(Object.keys(await treeOf(join(work, target, DIRECTORY))).sort()).toEqual(PAYLOADS.toSorted());
    expect(await traces()).toEqual([]);
  });

  it('are distinguished and in one piece when they have a problem', async () => {
    const missing = `/srv/missing "$(touch ${MARK})"`;
    const added = await service().cli(['source', 'add', 'web', '--name', 'gone', '--path', missing]);
    expect(added).toMatchObject({ code: 0 });
    const job = await rest.run(id, { job_type: 'backup', source_filter: 'gone' });
    expect(job).toMatchObject({ status: 'failed', error_code: 'source_missing' });
    expect(job.error).toContain(missing);
    expect(job.log_lines?.join('\n')).toContain(missing);
    expect(await traces()).toEqual([]);
  });

  it('are refused where they cannot be meant: of sources in a request', async () => {
    for (const source_filter of PAYLOADS) {
      const { status } = await rest.post(`/api/v1/servers/${id}/jobs`, { job_type: 'backup', source_filter });
      expect([source_filter, [404, 422].includes(status)]).toEqual([source_filter, true]);
    }
    expect(await traces()).toEqual([]);
  });

  it('are refused where they cannot be meant: of hosts, accounts, servers, keys and sources', async () => {
    const [payload = ''] = PAYLOADS;
    const address = ['--host', '192.0.2.1'];
    const commands = [
      ['server', 'add', 'other', `--host=${payload}`],
      ['server', 'add', 'other', '--host=-oProxyCommand=touch'],
      ['server', 'add', 'other', ...address, `--user=${payload}`],
      ['server', 'add', `$(touch ${MARK})`, ...address],
      ['server', 'edit', 'web', `--jail=/srv/${payload}`],
      ['key', 'create', payload],
      ['source', 'add', 'web', `--name=${payload}`, '--path', '/srv'],
    ];
    const ended = await Promise.all(commands.map((command) => service().cli(command, { cwd: work })));
    expect(ended.map(({ code }) => code)).toEqual(commands.map(() => 2));
    expect(await traces()).toEqual([]);
  });
});
