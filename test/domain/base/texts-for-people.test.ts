import { describe, expect, test } from 'vitest';
import { jobEvent } from '../../../src/application/jobs/job-event.ts';
import { checkPlan, planHint } from '../../../src/application/jobs/job-plans.ts';
import { outsideWindow, windowState } from '../../../src/domain/automation/maintenance-window.ts';
import { DomainError } from '../../../src/domain/base/errors.ts';
import { HOUR } from '../../../src/domain/base/instant.ts';
import { NOTIFICATION_KINDS } from '../../../src/domain/events/notification.ts';
import { wordsOf } from '../../../src/domain/events/notification-words.ts';
import { nobodyDecided, waitsForPerson } from '../../../src/domain/jobs/approval.ts';
import type { Job } from '../../../src/domain/jobs/job.ts';

const T0 = Date.UTC(2026, 0, 15, 12);
const PARAMS = { sourceFilter: null, service: null, osSteps: null, dryRun: false } as const;
const JOB = {
  id: 7,
  serverId: 1,
  serverName: 'web-1',
  jobType: 'os_patch',
  status: 'failed',
  params: PARAMS,
} as Job;

/** A time as programs write it, and an identifier that no bracket, quote or command encloses. */
const ISO = /\d{4}-\d\d-\d\dT\d\d/;
const IDENTIFIER = /(?<![(`"\w])[a-z]+_[a-z_]+\b/;

const VARIANTS = {
  'job.failed': ['os_patch', 'host_reboot', 'a_type_of_a_later_version'],
  'approval.requested': ['os_patch', 'docker_stack_deploy'],
  'server.unreachable': ['host_unreachable', 'host_auth_failed', 'host_timeout', 'host_connection_lost'],
} as Readonly<Record<string, readonly string[]>>;

describe('Texts for people', () => {
  test.each(NOTIFICATION_KINDS)('alerts of the kind %s have display names and readable times', (kind) => {
    for (const variant of VARIANTS[kind] ?? ['', 'security', 'ahead']) {
      const about = { kind, variant, subjectId: 1, serverId: 1, jobId: null, name: 'web-1', at: T0 };
      const { title, message } = wordsOf(about);
      for (const text of [title, message]) {
        expect(text).not.toMatch(ISO);
        expect(text).not.toContain('host_');
        if (!variant.startsWith('a_type')) expect(text.replaceAll(/`.*`/g, '')).not.toMatch(IDENTIFIER);
      }
    }
  });

  test('events of jobs have the display name of the job type', () => {
    const { title } = jobEvent({ ...JOB, error: null, summary: null }, T0);
    expect(title).toMatch(/^Update packages /);
  });

  test('refusals and summaries have readable times with their zone', () => {
    const window = {
      id: 1,
      name: 'nights',
      selector: { by: 'all' },
      opens: { expression: '0 2 * * *', timeZone: 'UTC' },
      durationMs: 2 * HOUR,
      enabled: true,
      createdBy: 'cli:me',
      createdAt: 0,
    } as const;
    const states = [windowState(window, { last: null, next: T0 }, T0)];
    const closed = outsideWindow(states, { id: 1, name: 'web-1', tags: [] }, 'os_patch');
    const until = new Date(T0).toISOString();
    const plan: Job = {
      ...JOB,
      status: 'success',
      params: { ...PARAMS, dryRun: true },
      result: { plan_expires_at: until },
    };
    let expired = '';
    try {
      checkPlan(plan, { serverId: 1, jobType: 'os_patch', params: { ...PARAMS, planId: 7 } }, T0);
    } catch (error) {
      expired = error instanceof DomainError ? error.message : String(error);
    }
    const texts = [
      closed?.message,
      expired,
      planHint({ plan_id: 3, plan_expires_at: until }),
      waitsForPerson(T0),
      nobodyDecided({ expiresAt: T0 }).detail,
    ];
    for (const text of texts) {
      expect(text).toMatch(/\d\d:\d\d UTC/);
      expect(text).not.toMatch(ISO);
    }
  });
});
