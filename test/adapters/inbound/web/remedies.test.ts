import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AlertGroups } from '../../../../src/adapters/inbound/web/pages/events/alert-groups.tsx';
import { Failure } from '../../../../src/adapters/inbound/web/pages/jobs/failure.tsx';
import { ERROR_CODES } from '../../../../src/domain/base/errors.ts';
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
};

/** The address of the action that a failed job offers. */
function cureOf(code: (typeof ERROR_CODES)[number]): string | null {
  const detail = 'Backup of "etc" failed: /srv/etc is missing.';
  const job = {
    serverId: 1,
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
    h(AlertGroups, { alerts: [alert], acknowledged: [], now: 2, state: '', act: null, spans: [] }),
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
    expect(cures.length).toBeGreaterThan(15);
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
