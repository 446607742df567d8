import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOUR } from '../../../../src/domain/base/instant.ts';
import { type HostState, STATE_KINDS } from '../../../../src/domain/fleet/host-state.ts';
import { changeLine } from '../../../../src/domain/fleet/package-change.ts';
import { containerOf, inventoryOf } from '../../../support/inventories.ts';
import { type ApiFixture, openApiFixture } from '../http/api-fixture.ts';
import { REVISIONS, rpcOf } from './revisions.ts';

const NO_STATE = Object.fromEntries(STATE_KINDS.map((kind) => [kind, null])) as unknown as HostState;

const names = (list: { servers: { name: string }[] }) => list.servers.map(({ name }) => name);

/** What users ask an agent, each answered by one call. Alpha (1) and beta (2) are there; gamma to epsilon are added. */
describe.each(REVISIONS)('over %s', (revision) => {
  let fixture: ApiFixture;
  let token: string;
  beforeAll(async () => {
    fixture = await openApiFixture();
    token = await fixture.token(['read', 'jobs', 'edit', 'files']);
    const { servers, inventories } = fixture.stores;
    const alpha = await servers.find(1);
    if (!alpha) throw new Error('alpha is missing');
    for (const name of ['gamma', 'delta', 'epsilon'])
      await servers.add({ ...alpha, name, tags: ['shop'] }, fixture.clock.now(), () => ({}));
    const at = fixture.clock.now();
    for (const id of [1, 2, 3, 4, 5])
      await servers.learn(id, {
        inventoryAt: at,
        lastBackupAt: at,
        osUpdatesCount: 0,
        securityUpdatesCount: 0,
      });
    await servers.learn(1, { rebootPending: true });
    await servers.learn(3, { rebootPending: true, osUpdatesCount: 9, securityUpdatesCount: 2 });
    await servers.learn(4, { osUpdatesCount: 3 });
    await servers.learn(5, { contactFailedSince: at });
    const update = { name: 'openssl', from: '3.5.1', to: '3.5.2', security: true, origin: null, held: false };
    await inventories.save(
      3,
      inventoryOf({
        updates: [
          update,
          ...Array.from({ length: 60 }, (_, n) => ({ ...update, name: `lib${n}`, security: false })),
        ],
        containers: [containerOf({ name: 'web', image: 'nginx:1.27', state: 'exited' })],
        disks: [
          { mount: '/', filesystem: 'ext4', totalBytes: 100, usedBytes: 10 },
          { mount: '/mnt/nas', filesystem: 'xfs', totalBytes: 1_000, usedBytes: 970 },
        ],
      }),
    );
  });
  afterAll(() => fixture.close());

  const call = async (name: string, args: object) => {
    const { result } = (await rpcOf(fixture, revision, token, 'tools/call', { name, arguments: args })).json;
    if (result.isError) throw new Error(result.content[0].text);
    return result.structuredContent;
  };
  describe('one call says', () => {
    it('which servers need something, and how many in all', async () => {
      const found = await call('list_servers', { needs: 'reboot' });
      expect(names(found)).toEqual(['alpha', 'gamma']);
      expect(found.total).toBe(2);
      expect(found.need_counts).toMatchObject({ reboot: 2, updates: 2, security_updates: 1, unreachable: 1 });
      expect(found.servers[1]).toMatchObject({ needs: ['reboot', 'security_updates', 'updates'] });
      expect(names(await call('list_servers', { needs: 'unreachable' }))).toEqual(['epsilon']);
    });

    it('which servers have a tag, a feature, or the most updates', async () => {
      expect(names(await call('list_servers', { tag: 'shop' }))).toEqual(['delta', 'epsilon', 'gamma']);
      expect(await call('list_servers', { tag: 'shops' })).toMatchObject({
        total: 0,
        tags_in_use: ['shop', 'test'],
      });
      expect(names(await call('list_servers', { feature: 'backup', limit: 1 }))).toEqual(['alpha']);
      expect(names(await call('list_servers', { sort: 'updates', limit: 2 }))).toEqual(['gamma', 'delta']);
    });

    it('only the fields that were asked for, or all of them', async () => {
      const { servers } = await call('list_servers', { fields: ['hostname'], limit: 1 });
      expect(servers).toEqual([{ id: 1, name: 'alpha', hostname: 'alpha.example.org' }]);
      const full = await call('list_servers', { detail: 'full', limit: 1 });
      expect(full.servers[0]).toMatchObject({ ssh_username: 'drover', hardware: null });
      await expect(call('list_servers', { fields: ['password'] })).rejects.toThrow('/fields');
    });

    it('whether a disk is full, of all that are mounted', async () => {
      const { hosts } = await call('inventory', { server_id: 3, section: 'disks' });
      expect(hosts[0].disks).toContainEqual(expect.objectContaining({ mount: '/mnt/nas', used_percent: 97 }));
      const fleet = await call('inventory', {});
      expect(fleet.hosts.find(({ name }: { name: string }) => name === 'gamma')).toMatchObject({
        fullest_disk: { mount: '/mnt/nas', used_percent: 97 },
        updates_count: 61,
      });
    });

    it('which servers have an update of a package pending, or run an image', async () => {
      for (const search of [
        { package: 'openssl' },
        { version: '3.5.2' },
        { package: 'NGINX', version: '1.27' },
      ]) {
        const { hosts, total } = await call('inventory', search);
        expect([total, hosts[0].name]).toEqual([1, 'gamma']);
      }
      const { hosts } = await call('inventory', { package: 'openssl' });
      expect(hosts[0].updates).toEqual([{ name: 'openssl', from: '3.5.1', to: '3.5.2', security: true }]);
      expect(await call('inventory', { package: 'no-such' })).toMatchObject({ hosts: [], total: 0 });
    });

    it('the pending updates of a server, in pages', async () => {
      const first = await call('inventory', { server_id: 3, section: 'updates', limit: 40 });
      expect(first).toMatchObject({ total: 61, next_offset: 40 });
      expect(first.hosts[0].updates[0].name).toBe('openssl');
      const rest = await call('inventory', { server_id: 3, section: 'updates', limit: 40, offset: 40 });
      expect(rest.hosts[0].updates).toHaveLength(21);
      expect(rest).not.toHaveProperty('next_offset');
    });

    it('what changed on a server lately, and who did it', async () => {
      await call('set_features', { server_id: 4, docker: true });
      await call('trigger_job', { server_id: 4, job_type: 'os_update_check' });
      const { changes } = await call('get_server', { server_id: 4 });
      expect(changes).toMatchObject([
        { action: 'job.request', what: 'os_update_check', by: expect.stringMatching(/^token:/) },
        { action: 'server.set_features', what: 'docker on' },
      ]);
    });

    it('what changed on a server or the fleet between two times', async () => {
      const { hostChanges } = fixture.stores;
      const now = fixture.clock.now();
      const packages = (version: string): HostState => ({
        ...NO_STATE,
        package: new Map([['openssl', version]]),
        user: new Map(version === '1' ? [] : [['ada', 'uid 1000']]),
      });
      for (const id of [2, 3]) {
        await hostChanges.record(id, packages('1'), now - 50 * HOUR);
        await hostChanges.record(id, packages('2'), now - 30 * HOUR);
        await hostChanges.record(id, packages('3'), now - HOUR);
      }
      const iso = (at: number): string => new Date(at).toISOString();
      const latest = await call('inventory', { server_id: 3, section: 'changes' });
      expect(latest).toMatchObject({
        total: 1,
        hosts: [
          {
            server_id: 3,
            name: 'gamma',
            changes: [{ kind: 'package', name: 'openssl', before: '2', after: '3', at: iso(now - HOUR) }],
          },
        ],
      });
      const earlier = { section: 'changes', since: iso(now - 40 * HOUR), before: iso(now - 2 * HOUR) };
      const fleet = await call('inventory', earlier);
      expect(fleet.total).toBe(4);
      expect(fleet.hosts.map(({ name }: { name: string }) => name).toSorted()).toEqual(['beta', 'gamma']);
      expect(await call('inventory', { ...earlier, package: 'ADA' })).toMatchObject({ total: 2 });
      const part = await call('inventory', { ...earlier, limit: 3 });
      expect(part).toMatchObject({ total: 4, next_offset: 3 });
      expect(await call('inventory', { ...earlier, limit: 3, offset: 3 })).toMatchObject({
        total: 4,
        offset: 3,
      });
    });

    it('nothing about a period of what has none', async () => {
      const since = new Date(fixture.clock.now()).toISOString();
      for (const args of [{ since }, { section: 'disks', since }, { section: 'changes', version: '3' }])
        await expect(call('inventory', args)).rejects.toThrow('invalid_input');
    });

    it('what happened in a period, by origin and requester', async () => {
      const at = new Date(fixture.clock.now()).toISOString();
      const mine = await call('list_jobs', { since: at, origin: 'request', server_id: 4 });
      expect(mine.total).toBe(1);
      const { requested_by: by } = mine.jobs[0];
      expect((await call('list_jobs', { requested_by: by, server_id: 4 })).total).toBe(1);
      expect((await call('list_jobs', { before: at })).total).toBe(0);
      expect((await call('list_jobs', { origin: 'schedule' })).total).toBe(0);
      await expect(call('list_jobs', { since: 'yesterday' })).rejects.toThrow('/since');
    });

    it('a part of a file, by bytes or lines', async () => {
      const lines = Array.from({ length: 1_000 }, (_, n) => `line ${n + 1}\n`);
      fixture.files.file('/srv/compose/app/log', lines.join(''));
      const part = { server_id: 1, p: 'app/log' };
      expect(await call('read_file', { ...part, length: 7 })).toMatchObject({
        text: 'line 1\n',
        next_offset: 7,
      });
      const some = await call('read_file', { ...part, from_line: 998, to_line: 999 });
      expect(some).toMatchObject({ text: 'line 998\nline 999\n', truncated: true });
      expect(await call('read_file', { ...part, offset: some.next_offset })).toMatchObject({
        text: 'line 1000\n',
      });
      expect((await call('read_file', { ...part, from_line: 1_001 })).text).toBe('');
      const last = await call('read_file', { ...part, last_lines: 2 });
      expect(last).toMatchObject({ text: 'line 999\nline 1000\n', truncated: false });
      expect(last.offset).toBe(some.next_offset - 'line 999\n'.length);
      await expect(call('read_file', { ...part, last_lines: 2, length: 2 })).rejects.toThrow('/last_lines');
      await expect(call('read_file', { ...part, from_line: 3, to_line: 2 })).rejects.toThrow('/to_line');
      await expect(call('read_file', { ...part, from_line: 3, length: 2 })).rejects.toThrow('/from_line');
    });

    it('all files of a large directory, page by page', async () => {
      for (let n = 0; n < 1_200; n += 1)
        fixture.files.file(`/srv/compose/large/${String(n).padStart(4, '0')}`, '');
      const seen: string[] = [];
      for (let offset: number | undefined = 0; offset !== undefined; ) {
        const page = await call('list_files', { server_id: 1, p: 'large', limit: 500, offset });
        seen.push(...page.entries.map(({ name }: { name: string }) => name));
        expect(page.total).toBe(1_200);
        offset = page.next_offset;
      }
      expect(seen).toHaveLength(1_200);
      expect(new Set(seen).size).toBe(1_200);
    });

    it('the result of a job, its packages once', async () => {
      const { job_id } = await call('trigger_job', { server_id: 3, job_type: 'os_update_check' });
      const change = {
        kind: 'upgrade',
        name: 'openssl',
        from: '3.5.1',
        to: '3.5.2',
        security: true,
      } as const;
      const result = { dry_run: true, plan_id: job_id, changes: [change], notes: [changeLine(change)] };
      fixture.kept.change('jobs', job_id, {
        log_tail: JSON.stringify(['openssl 3.5.1 -> 3.5.2 [security]', 'Reading the host']),
        result: JSON.stringify(result),
      });
      const found = await call('get_job', { job_id, detail: true });
      expect(found.result.changes).toEqual(['openssl 3.5.1 -> 3.5.2 [security]']);
      expect(found.result.plan_id).toBe(job_id);
    });
  });

  describe('what agents cannot do', () => {
    it('comes with the command for the user', async () => {
      for (const [type, command] of [
        ['host_reboot', 'drover job start SERVER host_reboot'],
        ['docker_stack_restart', 'drover job start SERVER docker_stack_restart'],
        ['template_deploy', 'drover job start SERVER template_deploy'],
        ['restore', 'drover restore'],
        ['dump_restore', 'drover dump restore'],
        ['os_downgrade', 'drover job downgrade'],
        ['snapshot_verify', 'drover job start SERVER snapshot_verify'],
      ] as const)
        await expect(call('trigger_job', { server_id: 1, job_type: type })).rejects.toThrow(command);
      await expect(call('trigger_job', { server_id: 1, job_type: 'reboot' })).rejects.toThrow(
        'Must be one of',
      );
    });
  });

  describe('a path that agents confuse', () => {
    it.each([
      ['list_files', { p: '/srv/compose/app' }, 'Pass "app"'],
      ['read_file', { p: '/srv/compose/app/compose.yaml' }, 'Pass "app/compose.yaml"'],
      ['read_file', { p: 'app/compose.yaml/' }, 'Pass "app/compose.yaml"'],
      ['delete_file', { p: '/etc/passwd' }, '/srv/compose'],
      ['write_file', { p: '', name: 'app/a.yaml', text: '' }, 'p "app" and name "a.yaml"'],
      ['mkdir', { p: 'app', name: 'a/b' }, 'p "app/a" and name "b"'],
      ['rename_file', { src: 'app/compose.yaml', dest: 'x' }, 'p "app" and src "compose.yaml"'],
    ])('in %s with %j is refused with what to pass', async (name, args, advice) => {
      // The text of a refusal is JSON.
      const text = JSON.stringify(advice).slice(1, -1);
      await expect(call(name, { server_id: 1, ...args })).rejects.toThrow(text);
    });
  });

  describe('a job that is started', () => {
    it('twice with the same key is one job, with the same answer', async () => {
      const order = { server_id: 1, job_type: 'retention', request_key: 'k-1' };
      const first = await call('trigger_job', order);
      expect(await call('trigger_job', order)).toEqual(first);
      expect(first.http_status).toBe(202);
      await expect(call('trigger_job', { ...order, dry_run: true })).rejects.toThrow(
        'idempotency_key_reused',
      );
      expect(await call('trigger_job', { ...order, request_key: 'k-2' })).toMatchObject({ http_status: 409 });
    });

    it('on several servers has one result each', async () => {
      const order = { server_ids: [1, 3, 2, 99], job_type: 'backup', request_key: 'many' };
      const { started, results } = await call('trigger_job', order);
      expect(results).toMatchObject([
        { server_id: 1, http_status: 202, status: 'pending' },
        { server_id: 3, ok: false, code: 'no_backup_source' },
        { server_id: 2, ok: false, code: 'feature_disabled' },
        { server_id: 99, ok: false, code: 'server_not_found' },
      ]);
      const again = await call('trigger_job', { ...order, server_ids: [98, 99], request_key: 'none' });
      expect(again.results.map((each: { detail?: string }) => each.detail !== undefined)).toEqual([
        true,
        false,
      ]);
      expect(started).toBe(1);
      expect((await call('trigger_job', order)).results[0].job_id).toBe(results[0].job_id);
    });

    it.each([
      [{ job_type: 'backup' }, '/server_id'],
      [{ job_type: 'backup', server_id: 1, server_ids: [2] }, '/server_id'],
      [{ job_type: 'os_patch', server_ids: [1, 2], plan_id: 1 }, '/plan_id'],
      [{ job_type: 'backup', server_ids: [1, 1] }, '/server_ids'],
      [{ job_type: 'backup', server_ids: Array.from({ length: 51 }, (_, n) => n + 1) }, '/server_ids'],
      [{ job_type: 'backup', server_id: 1, request_key: 'two words' }, '/request_key'],
    ])('is refused for %j', async (args, path) => {
      await expect(call('trigger_job', args)).rejects.toThrow(path);
    });
  });
});
