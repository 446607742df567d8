import { describe, expect, it } from 'vitest';
import { inventorySchema, inventoryView } from '../../../../src/adapters/inbound/api/views/inventory-view.ts';
import {
  jobDetailSchema,
  jobDetailView,
  jobSchema,
  jobView,
} from '../../../../src/adapters/inbound/api/views/job-view.ts';
import { serverSchema, serverView } from '../../../../src/adapters/inbound/api/views/server-view.ts';
import { snapshotSchema, snapshotView } from '../../../../src/adapters/inbound/api/views/snapshot-view.ts';
import { tokenSchema, tokenView } from '../../../../src/adapters/inbound/api/views/token-view.ts';
import type { ApiToken } from '../../../../src/domain/access/api-token.ts';
import { NO_CALLS } from '../../../../src/domain/access/token-calls.ts';
import type { Snapshot } from '../../../../src/domain/backups/snapshot.ts';
import type { Inventory } from '../../../../src/domain/fleet/inventory.ts';
import { type Server, UNKNOWN_FACTS } from '../../../../src/domain/fleet/server.ts';
import type { Job } from '../../../../src/domain/jobs/job.ts';

const AT = Date.UTC(2026, 10, 20, 5, 0, 0, 7);
const ISO = '2026-11-20T05:00:00.007Z';

const server: Server = {
  id: 3,
  name: 'alpha',
  address: {
    connection: 'ssh',
    hostname: 'alpha.example.org',
    sshPort: 2222,
    sshUsername: 'drover',
    sshKeyId: 7,
    hostKey: { algorithm: 'ssh-ed25519', blob: 'AAAA', fingerprint: 'SHA256:x' },
    become: 'sudo',
    jumpServerId: 1,
  },
  tags: ['web'],
  features: { backup: true, os_patch: false, docker: false },
  jail: '/srv/data',
  jailDeny: [],
  alertsOpen: 3,
  worstAlert: null,
  criticalKind: null,
  notes: '',
  composeDirs: [],
  updateChecks: [],
  facts: { ...UNKNOWN_FACTS, lastSeenAt: AT, osUpdatesCount: 4, rebootPending: false, lastBackupAt: AT },
  createdAt: AT,
  updatedAt: AT,
};

const READING = { now: AT + 20_000, usualMs: 90_000, lines: ['l1', 'l2'] };

const job: Job = {
  id: 9,
  serverId: 3,
  serverName: 'alpha',
  jobType: 'os_patch',
  lane: 'os_patch',
  status: 'failed',
  params: { sourceFilter: null, service: null, osSteps: ['update'], dryRun: true },
  createdAt: AT,
  startedAt: AT,
  finishedAt: null,
  current: 'updating',
  percent: 12.5,
  phases: [],
  summary: null,
  scheduled: false,
  requestedBy: 'token:t',
  requester: { kind: 'token', id: 1 },
  reason: null,
  error: { code: 'host_timeout', detail: 'The host did not answer.' },
  result: { packages: ['a'] },
  logTail: ['one', 'x'.repeat(5_000)],
  cancelRequestedAt: null,
};

describe('views', () => {
  it('show a server without keys, jail or what its host key is', () => {
    const view = serverView(server);
    expect(serverSchema.parse(view)).toEqual(view);
    expect(view).toMatchObject({
      id: 3,
      hostname: 'alpha.example.org',
      ssh_port: 2222,
      last_seen: ISO,
      last_backup_at: ISO,
      os_updates_count: 4,
      security_updates_count: null,
      reboot_pending: false,
      alerts_open: 3,
    });
    expect(JSON.stringify(view)).not.toMatch(/AAAA|SHA256|srv|key/);
  });

  it('show a job, with long lines cut', () => {
    const view = jobView(job);
    expect(jobSchema.parse(view)).toEqual(view);
    expect(view).toMatchObject({
      started_at: ISO,
      finished_at: null,
      os_steps: ['update'],
      dry_run: true,
      error: 'The host did not answer.',
      error_code: 'host_timeout',
      done: true,
      cancellable: false,
    });
    expect(view.log_tail[1]).toHaveLength(1_001);
  });

  it('show the details of a job only where they were asked for', () => {
    expect(jobView(job)).not.toHaveProperty('result');
    const view = jobDetailView({ ...READING, job });
    expect(jobDetailSchema.parse(view)).toEqual(view);
    expect(view).toMatchObject({ log_lines: ['l1', 'l2'], result: { packages: ['a'] } });
    expect(jobDetailView({ ...READING, job: { ...job, result: null } }).result).toBeNull();
  });

  it('show the steps of one job, with the rate of the current one', () => {
    const amount = { done: 50, total: 200, unit: 'packages' } as const;
    const phases = [
      { name: 'Reading', startedAt: AT, amount: null },
      { name: 'Upgrading', startedAt: AT + 10_000, amount },
    ];
    const view = jobDetailView({ ...READING, job: { ...job, status: 'running', phases } });
    expect(jobDetailSchema.parse(view)).toEqual(view);
    expect(view).toMatchObject({
      usual_seconds: 90,
      phases: [
        {
          name: 'Reading',
          done: null,
          unit: null,
          per_second: null,
          ended_at: new Date(AT + 10_000).toISOString(),
        },
        { done: 50, total: 200, unit: 'packages', per_second: 5, seconds_left: 30, ended_at: null },
      ],
    });
    expect(jobView(job)).not.toHaveProperty('phases');
  });

  it.each([
    ['running', null, { done: false, cancellable: true }],
    ['running', AT, { done: false, cancellable: false }],
    ['awaiting_approval', null, { done: false, cancellable: true }],
    ['success', null, { done: true, cancellable: false }],
  ] as const)(
    'say of a job that is %s whether it is done and can be cancelled',
    (status, asked, expected) => {
      expect(jobView({ ...job, status, cancelRequestedAt: asked })).toMatchObject(expected);
    },
  );

  it('show a token, active or not, and never a secret', () => {
    const token: ApiToken = {
      id: 2,
      name: 'ci',
      prefix: 'drv_AbCdEfGh',
      scopes: ['read', 'feature:os'],
      allowedCidrs: ['192.0.2.0/24'],
      allowedServerIds: [3],
      serversGrantedBy: null,
      requireApproval: false,
      approvalInClient: false,
      approvalRule: null,
      rotatedBy: [],
      createdBy: 'operator',
      createdAt: AT,
      lastUsedAt: null,
      expiresAt: AT + 1,
      revokedAt: null,
      calls: NO_CALLS,
    };
    const view = tokenView(token, AT);
    expect(tokenSchema.parse(view)).toEqual(view);
    expect(view).toMatchObject({ allowed_features: ['os'], allowed_server_ids: [3], active: true });
    expect(tokenView(token, AT + 1).active).toBe(false);
    expect(tokenView({ ...token, revokedAt: AT }, AT)).toMatchObject({ active: false, revoked_at: ISO });
    expect(tokenView({ ...token, scopes: ['read'], allowedServerIds: null }, AT)).toMatchObject({
      allowed_features: null,
      allowed_server_ids: null,
    });
  });

  it('show a snapshot', () => {
    const snapshot: Snapshot = {
      id: 5,
      serverId: 3,
      sourceId: 1,
      sourceName: 'etc',
      jobId: 9,
      engine: 'rsync',
      name: '20261120T050000Z',
      startedAt: AT,
      finishedAt: AT,
      fileCount: 2,
      totalBytes: 3,
      transferredBytes: 1,
      vanishedCount: 0,
      manifestSha256: 'ab',
      lastVerifiedAt: null,
      check: { at: AT, outcome: 'damaged', files: 1, bytes: 2, detail: 'It has different content.' },
      pinnedAt: AT,
    };
    const view = snapshotView(snapshot);
    expect(snapshotSchema.parse(view)).toEqual(view);
    expect(view).toMatchObject({
      source: 'etc',
      source_id: 1,
      started_at: ISO,
      last_verified_at: null,
      pinned_at: ISO,
    });
    expect(view).toMatchObject({
      checked_at: ISO,
      check_outcome: 'damaged',
      check_detail: 'It has different content.',
    });
  });

  it('show the inventory of a host, or that it was never looked at', () => {
    const inventory: Inventory = {
      at: AT,
      hostname: 'alpha',
      osType: 'linux',
      osId: 'debian',
      osFamily: 'debian',
      osVersion: '12',
      osPretty: 'Debian 12',
      kernel: '6.1',
      arch: 'x86_64',
      hardware: null,
      cpuModel: null,
      cpuCores: 2,
      cpuLoad: 0.5,
      memoryTotalBytes: 10,
      memoryUsedBytes: 5,
      diskTotalBytes: 20,
      diskUsedBytes: 7,
      disks: [],
      uptimeSeconds: 60,
      bootId: 'b',
      packagesCount: 300,
      updates: [{ name: 'ssl', from: '1', to: '2', security: true, origin: 'sec', held: false }],
      packagesStamp: 'a'.repeat(64),
      packagesNotes: [],
      packageLists: null,
      rebootPending: false,
      containerEngine: null,
      containers: null,
      failedUnits: [],
    };
    const view = inventoryView(server, inventory);
    expect(inventorySchema.parse(view)).toEqual(view);
    expect(view).toMatchObject({ server_id: 3, status: 'known', at: ISO, containers: null });
    expect(view.updates).toEqual([
      { name: 'ssl', from: '1', to: '2', security: true, origin: 'sec', held: false },
    ]);
    const unknown = inventoryView(server, null);
    expect(inventorySchema.parse(unknown)).toEqual(unknown);
    expect(unknown).toMatchObject({
      server_id: 3,
      name: 'alpha',
      status: 'unknown',
      at: null,
      updates: null,
    });
  });
});
