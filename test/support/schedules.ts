import { batchBounds, type NewBatch, type NewBatchMember } from '../../src/domain/automation/batch.ts';
import type { NewSchedule } from '../../src/domain/automation/schedule.ts';
import { MINUTE } from '../../src/domain/base/instant.ts';
import { AT } from './stores-subject.ts';

export const newSchedule = (name: string, over: Partial<NewSchedule> = {}): NewSchedule => ({
  name,
  selector: { by: 'tags', tags: ['web'] },
  cron: { expression: '0 3 * * *', timeZone: 'Europe/Berlin' },
  jobType: 'os_patch',
  params: { sourceFilter: null, service: null, osSteps: ['update'], dryRun: false },
  bounds: batchBounds({ canary: 2, stopAfterFailures: 3 }),
  jitterMs: 90_000,
  enabled: true,
  requireApproval: false,
  owner: { kind: 'operator', id: null, name: 'cli:me' },
  offReason: null,
  handledTo: AT,
  dueAt: AT + MINUTE,
  createdBy: 'cli:me',
  ...over,
});

export const newBatch = (over: Partial<NewBatch> = {}): NewBatch => ({
  jobType: 'os_patch',
  params: { sourceFilter: null, service: null, osSteps: ['update'], dryRun: true },
  selector: { by: 'tags', tags: ['web'] },
  bounds: batchBounds({ canary: 1, stopAfterFailures: 2 }),
  requester: { kind: 'token', id: 7, name: 'agent', address: '192.0.2.1', label: 'token:agent' },
  scheduled: false,
  scheduleId: null,
  requireApproval: false,
  outsideWindow: false,
  orders: [],
  createdAt: AT,
  ...over,
});

export const newMember = (serverId: number, over: Partial<NewBatchMember> = {}): NewBatchMember => ({
  serverId,
  serverName: `host-${serverId}`,
  notBefore: null,
  code: null,
  detail: null,
  place: null,
  ...over,
});
