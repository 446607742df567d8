import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AlertGroups } from '../../../../src/adapters/inbound/web/pages/events/alert-groups.tsx';
import { Failure } from '../../../../src/adapters/inbound/web/pages/jobs/failure.tsx';
import { ERROR_CODES, type ErrorCode } from '../../../../src/domain/base/errors.ts';
import { NOTIFICATION_KINDS, type Notification } from '../../../../src/domain/events/notification.ts';
import type { Job } from '../../../../src/domain/jobs/job.ts';
import { openWebFixture, type Visitor, type WebFixture } from './web-fixture.ts';

let fixture: WebFixture;
let administrator: Visitor;
beforeAll(async () => {
  fixture = await openWebFixture();
  const features = { backup: true, os_patch: true, docker: true };
  const { id } = await fixture.scene.addServer('web', features, 'ssh');
  await fixture.scene.addSource(id);
  administrator = await fixture.signedIn('administrator');
  await administrator.post('/batches/new', { type: 'os_update_check', selector: 'all' });
});
afterAll(() => fixture.close());

/** What a page has to contain so that the cause can be fixed there. */
const CONTROLS: Readonly<Record<string, RegExp>> = {
  '/servers/1/sources': /Add a source/,
  '/servers/1/sources/etc/edit': /name="paths"/,
  '/servers/1/sources/etc/dumps': /name="client"/,
  '/servers/1': /action="\/servers\/1\/check"/,
  '/servers/1/setup/key': /authorized_keys|host key/i,
  '/servers/1/setup/host-key': /\/servers\/1\/setup\/(?:key|host-key)/,
  '/servers/1/containers': /container/i,
  '/servers/1/settings': /action="\/servers\/1\/settings\/features"/,
  '/servers/1/updates': /update/i,
  '/servers/1/metrics': /\/servers\/1\/metrics\?/,
  '/batches/1': /action="\/batches\/1\/cancel"/,
  '/settings/repositories': /href="\/settings\/new-repository"/,
  '/policies': /href="\/policies\/new"/,
  '/windows': /href="\/windows\/new"/,
  '/jobs?status=failed': /No job matches|Retry/,
  '/jobs?status=unresolved': /No job matches|Retry/,
  '/servers?needs=unreachable': /<form[^>]*role="search"/,
  '/servers?support=ending': /<option value="ending" selected/,
  '/settings/tokens': /href="\/settings\/tokens\/new/,
  '/approvals': /request/i,
  '/settings/alerts': /new-channel/,
  '/settings/about': /version/i,
  '/servers/1/backups': /snapshot/i,
  '/servers/1/files': /file/i,
  '/servers/1/jobs/new?type=os_patch': /<form [^>]*action="\/servers\/1\/jobs\/new"/,
  '/schedules': /href="\/schedules\/new/,
  '/templates': /href="\/templates\/new/,
};

/** Codes that only refuse a request, or that no work of a job reports; a job can end with each of the others. */
const NOT_OF_JOBS: readonly ErrorCode[] = [
  'invalid_json',
  'invalid_request',
  'unsupported_media_type',
  'body_too_large',
  'empty_change',
  'not_found',
  'method_not_allowed',
  'secret_in_query',
  'host_not_allowed',
  'origin_not_allowed',
  'idempotency_key_reused',
  'idempotency_key_in_use',
  'rate_limited',
  'unauthorized',
  'address_not_allowed',
  'tokens_disabled',
  'demo_read_only',
  'read_scope_missing',
  'scope_missing',
  'feature_not_allowed',
  'role_missing',
  'approval_required',
  'not_owner',
  'not_signed_in',
  'sign_in_failed',
  'sign_in_throttled',
  'confirmation_needed',
  'two_factor_required',
  'passkey_refused',
  'passkey_cloned',
  'link_invalid',
  'user_not_found',
  'last_administrator',
  'server_not_found',
  'job_not_found',
  'token_not_found',
  'schedule_not_found',
  'window_not_found',
  'policy_not_found',
  'batch_not_found',
  'approval_not_found',
  'notification_not_found',
  'mute_not_found',
  'webhook_not_found',
  'channel_not_found',
  'provider_not_found',
  'passkey_not_found',
  'delivery_not_found',
  'subscription_not_found',
  'name_taken',
  'job_already_active',
  'job_not_cancellable',
  'batch_not_cancellable',
  'approval_decided',
  'already_approved',
  'second_person_required',
  'confirmation_declined',
  'confirmation_invalid',
  'confirmation_expired',
  'confirmation_used',
  'too_many_approvals',
  'key_in_use',
  'database_not_empty',
  'audit_broken',
];

/** The address of the action that a failed job offers. */
function cureOf(code: ErrorCode): string | null {
  const detail = 'Backup of "etc" failed: /srv/etc is missing.';
  const job = {
    serverId: 1,
    jobType: 'os_patch',
    status: 'failed',
    error: { code, detail },
    logTail: [],
    params: { sourceFilter: null, service: null },
  };
  const html = renderToString(h(Failure, { job: job as unknown as Job, line: null }));
  return /<a class="button quiet small" href="(?!#|\/docs\/)([^"]+)"/.exec(html)?.[1] ?? null;
}

function remedyOf(kind: (typeof NOTIFICATION_KINDS)[number]): string | null {
  const alert = {
    id: 1,
    kind,
    subjectId: 1,
    severity: 'warning',
    serverId: 1,
    serverName: 'web',
    jobId: null,
    title: 'x',
    message: 'x',
    beganAt: 1,
  } as unknown as Notification;
  const html = renderToString(
    h(AlertGroups, {
      alerts: [alert],
      acknowledged: [],
      disks: new Map(),
      now: 2,
      state: '',
      act: null,
      spans: [],
    }),
  );
  const [, href] = /<div class="row"><a [^>]*href="([^"]+)"/.exec(html) ?? [];
  return href?.replaceAll('&amp;', '&') ?? null;
}

async function opened(path: string): Promise<string> {
  let answer = await administrator.get(path);
  for (let hops = 0; answer.location !== null && hops < 3; hops += 1)
    answer = await administrator.get(answer.location);
  expect([path, answer.status]).toEqual([path, 200]);
  return answer.text;
}

describe('A remedy leads to a page with the control that it names', () => {
  const cures = ERROR_CODES.flatMap((code) => {
    const cure = cureOf(code);
    return cure === null ? [] : [[code, cure] as const];
  });
  const remedies = NOTIFICATION_KINDS.map((kind) => [kind, remedyOf(kind)] as const);

  test('and there are remedies', () => {
    const without = ERROR_CODES.filter((code) => cureOf(code) === null);
    expect(without.toSorted()).toEqual(NOT_OF_JOBS.toSorted());
    expect(remedies.filter(([, to]) => to === null)).toEqual([]);
  });

  test.each([...cures, ...remedies.map(([kind, to]) => [kind, to ?? ''] as const)])(
    '%s: %s',
    async (_, to) => {
      const control = to.startsWith('/batches/new') ? /<form [^>]*action="\/batches\/new"/ : CONTROLS[to];
      expect(control, `a control of ${to}`).toBeDefined();
      expect(await opened(to)).toMatch(control ?? /never/);
    },
  );
});
