import { expect } from 'vitest';
import { requestJob } from '../../../../src/domain/jobs/job.ts';
import { requestFor, Witness } from '../../../contracts/backup-engine.contract.ts';
import { FakeRemoteHosts } from '../../../fakes/fake-remote-hosts.ts';
import { addDump, dumpFile } from '../../../support/dumps.ts';
import type { Visitor, WebFixture } from './web-fixture.ts';

const NAMES: readonly (readonly [string, string])[] = [
  ['/templates/', 'demo'],
  ['/settings/alerts/webhooks/', 'chat'],
  ['/settings/alerts/channels/', 'phone'],
  ['/settings/sign-in/providers/', 'home'],
  ['/settings/alerts/policy/', 'backup.stale'],
  ['/settings/repositories/', 'offsite'],
];
/** Of the things that `furnish` adds. */
export const pathOf = (route: string, id = 1): string =>
  route
    .replace(':id', String(id))
    .replace(':source', 'etc')
    .replace(':dump', '1')
    .replace(':kind', 'ntfy')
    .replace(':name', NAMES.find(([begin]) => route.startsWith(begin))?.[1] ?? 'root');

/** Adds one of everything that a form or a list is about. */
export async function furnish({ scene, stock }: WebFixture, root: Visitor): Promise<void> {
  await scene.addServer('web', { backup: true, os_patch: true, docker: true });
  await root.post('/servers/new', {
    name: 'bare',
    hostname: '192.0.2.7',
    ssh_port: '22',
    ssh_username: 'root',
    become: 'none',
    key: 'shared',
    tags: '',
  });
  stock.files.directory('/srv/app');
  stock.files.file('/srv/app/a.txt', 'what is there');
  stock.files.file('/srv/app/full/b.txt', '');
  await scene.servers.change(1, { jail: '/srv/app', composeDirs: ['/srv/stacks'] }, 0, () => ({}));
  const source = await scene.addSource(1, 'etc');
  stock.engine.files.set('/etc/hosts', 'x');
  await addDump(scene, source.id);
  const dumps = [dumpFile('1')];
  const request = { ...requestFor(new FakeRemoteHosts().host('web').session(), source), dumps };
  // More than retention keeps.
  for (let nth = 0; nth < 6; nth += 1) {
    const startedAt = scene.clock.now() - nth * 1_000;
    await scene.snapshots.add(await stock.engine.backup({ ...request, startedAt }, new Witness()));
  }
  const made = [
    ['/settings/tokens/new', { name: 'mcp', scopes: ['read', 'jobs'], expires_at: '30d' }],
    [
      '/settings/sign-in/new-provider',
      {
        name: 'home',
        label: 'Home',
        issuer: 'https://auth.example.org',
        client_id: 'drover',
        client_secret: 'secret',
        roles: '',
      },
    ],
    [
      '/settings/alerts/new-channel/ntfy',
      { name: 'phone', topic: 'drover', which: 'all', min_severity: 'info' },
    ],
    [
      '/settings/alerts/new-webhook',
      { name: 'chat', url: 'https://hooks.example.org/in', which: 'all', min_severity: 'info' },
    ],
    [
      '/settings/new-repository',
      { name: 'offsite', url: 'rest:https://backup.example.org/web', password: 'between the lines' },
    ],
    [
      '/schedules/new',
      { type: 'backup', name: 'nightly', cron: '0 2 * * *', time_zone: 'UTC', selector: 'all' },
    ],
    [
      '/windows/new',
      { name: 'sundays', cron: '0 2 * * 0', time_zone: 'UTC', duration: '2', selector: 'all' },
    ],
    ['/policies/new', { name: 'slow', min_age_hours: '72', min_age_by_hand_hours: '0', selector: 'all' }],
    [
      '/templates/new',
      {
        name: 'demo',
        'path.0': 'compose.yaml',
        'content.0': 'services:\n  app:\n    image: app:1\n',
      },
    ],
    ['/settings/keys', { name: 'fleet' }],
  ] as const;
  for (const [path, fields] of made) {
    const { status, text } = await root.post(path, fields);
    expect([path, [200, 303].includes(status) ? 'made' : text]).toEqual([path, 'made']);
  }
  await ask(scene);
}

/** A job that a token may only ask for. */
async function ask({ jobs, clock }: WebFixture['scene']): Promise<void> {
  const requester = { kind: 'token', id: 1, name: 'mcp', address: null, label: 'token:mcp' } as const;
  const at = clock.now();
  await jobs.enqueue(
    requestJob({
      server: { id: 1, name: 'web' },
      type: 'backup',
      params: { sourceFilter: null, service: null, osSteps: null, dryRun: false },
      requestedBy: 'token:mcp',
      scheduled: false,
      approval: { requester, expiresAt: at + 3_600_000 },
      at,
    }),
    () => ({}),
  );
}
