import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allRoutes } from '../../src/adapters/inbound/web/all-routes.ts';
import { Person } from '../support/browser.ts';
import { eventually } from '../support/processes.ts';
import { Receiver } from '../support/receiver.ts';
import { Service } from '../support/service.ts';
import { PLACES, placesIn } from './places.ts';

const demos = async (): Promise<readonly string[]> =>
  (await readdir(tmpdir())).filter((name) => name.startsWith('drover-demo-'));

/** Pages that have a place already, in another state. */
const STATES = [
  ['demo-job-running', '/jobs/RUNNING'],
  ['demo-job-plan', '/jobs/PLANNED'],
  ['demo-batch-plan', '/batches/TRIED'],
  ['demo-servers-none', '/servers?q=nowhere'],
  ['demo-snapshot', '/snapshots/1'],
] as const;

const MAX_HEIGHT = 2_000;
/** All servers of a batch, and the forms of all settings of a server: as long as what was asked for. */
const LONG = ['demo-batches-id', 'demo-batch-plan', 'demo-servers-id-settings'];

/** Identifiers of programs, which users should not have to read. */
const RAW = [
  /\b(?:os_patch|os_update_check|container_patch|container_update_check|host_reboot|snapshot_verify|docker_stack_\w+)\b/,
  /\b(?:job|server|backup|updates|token|approval|host_key|webhook|disk)\.[a-z_]{4,}\b/,
  /\b(?:user|token|schedule):[a-z0-9]/,
  /\d{4}-\d\d-\d\dT\d\d:\d\d/,
];

/** Pages have a reasonable length, targets that fingers and pointers hit, and words instead of identifiers. */
async function fits(person: Person, name: string): Promise<void> {
  await person.page.emulateMedia({ colorScheme: 'light' });
  if (!LONG.includes(name))
    expect.soft(await person.height(), `height of ${name}`).toBeLessThanOrEqual(MAX_HEIGHT);
  expect.soft(await person.smallTargets(24), `targets of ${name}`).toEqual([]);
  await person.onPhone(async () => {
    expect.soft(await person.smallTargets(44), `targets of ${name} on a phone`).toEqual([]);
  });
  const raw = (await person.labels()).filter((text) => RAW.some((pattern) => pattern.test(text)));
  expect.soft(raw, `identifiers of ${name}`).toEqual([]);
}

describe('the demonstration', () => {
  let service: Service;
  let receiver: Receiver;
  let dataDir: string;
  let before: readonly string[];
  beforeAll(async () => {
    before = await demos();
    dataDir = await mkdtemp(join(tmpdir(), 'drover-untouched-'));
    receiver = new Receiver('');
    const port = await receiver.listen();
    service = await Service.start({
      dataDir,
      entry: 'start',
      settings: {
        SERVICE_DEMO: '1',
        WEBHOOK_URL: `http://127.0.0.1:${port}/`,
        WEBHOOK_SECRET: `whsec_${Buffer.alloc(32).toString('base64')}`,
        SERVICE_WEBHOOK_ALLOW_PRIVATE: '1',
      },
    });
  });
  afterAll(async () => {
    await service.kill9();
    await receiver.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  const ask = (path: string, init: RequestInit = {}) =>
    fetch(`${service.url}${path}`, { redirect: 'manual', ...init });

  /** The first one of a list. */
  const firstOf = async (path: string, kind: string): Promise<string> => {
    const found = new RegExp(`href="/${kind}/(\\d+)"`).exec(await (await ask(path)).text())?.[1];
    if (found === undefined) throw new Error(`there is nothing at ${path}`);
    return found;
  };

  it('is checked as a whole: each existing page has its place', () => {
    const nothing: object = new Proxy({}, { get: () => nothing });
    const routes = allRoutes(nothing as never).filter(({ method }) => method === 'GET');
    expect(Object.keys(PLACES).toSorted()).toEqual(routes.map(({ path }) => path).toSorted());
  });

  it('shows a fleet without sign-in', async () => {
    for (const path of [
      '/',
      '/servers',
      '/servers/1',
      '/jobs',
      '/approvals/1',
      '/audit',
      '/settings/tokens',
    ]) {
      const answer = await ask(path);
      expect([path, answer.status]).toEqual([path, 200]);
    }
    expect(await (await ask('/')).text()).toContain('security updates');
    expect(await (await ask('/metrics')).text()).toContain('service_servers 60\n');
  });

  describe('in front of a person', () => {
    let person: Person;
    let ids: Readonly<Record<string, string>>;
    beforeAll(async () => {
      ids = {
        FAILED: await firstOf('/jobs?status=failed', 'jobs'),
        RUNNING: await firstOf('/jobs?status=running', 'jobs'),
        PLANNED: await firstOf('/jobs?type=os_patch&status=success', 'jobs'),
        TRIED: await firstOf('/batches', 'batches'),
      };
      person = await Person.sitDown(service.url);
    });
    afterAll(() => person.leave());

    it.each([...placesIn('demo'), ...STATES])(
      '%s says what it is, and needs no sign-in',
      async (name, path) => {
        await person.page.goto(service.url + path.replace(/[A-Z]{3,}/, (word) => ids[word] ?? word));
        await person.page.getByText('This is a demonstration').first().waitFor();
        await person.look(name);
        await fits(person, name);
      },
    );

    it('shows after one click why a job failed', async () => {
      const { page } = person;
      await page.goto(service.url);
      await page.locator('#attention-failed a[href^="/jobs/"]').first().click();
      await page.waitForURL(/\/jobs\/\d+$/);
      await page
        .locator('main')
        .getByText(/half-configured|not healthy|ended the connection/)
        .first()
        .waitFor();
    });

    it('takes two clicks to approve what an agent wants, and links its job', async () => {
      const { page } = person;
      await page.goto(service.url);
      await page.getByRole('link', { name: 'Review: approvals' }).click();
      await page.getByRole('button', { name: 'Approve this plan' }).click();
      const toast = page.locator('#toasts');
      await toast.getByText(/Approved/).waitFor();
      expect(await toast.locator('a[href^="/jobs/"]').count()).toBe(1);
    });
  });

  /** A visitor's form, with the cookies of the answers before. */
  const visitor = () => {
    const cookies = new Map<string, string>();
    const send = async (path: string, form?: Record<string, string>): Promise<Response> => {
      const answer = await ask(path, {
        headers: {
          'Sec-Fetch-Site': 'same-origin',
          Cookie: [...cookies].map((pair) => pair.join('=')).join('; '),
        },
        ...(form ? { method: 'POST', body: new URLSearchParams(form) } : {}),
      });
      for (const cookie of answer.headers.getSetCookie()) {
        const [name = '', value = ''] = (cookie.split(';')[0] ?? '').split('=');
        cookies.set(name, value);
      }
      return answer;
    };
    /** The whole log of a job, once it has this text. */
    const logged = async (job: string, text: string): Promise<string> =>
      eventually(`${job} logs ${text}`, 60_000, async () => {
        const log = await (await send(`${job}/log`)).text();
        return log.includes(text) ? log : undefined;
      });
    /** Sends a form of a page without changes. */
    const submit = async (page: string, action: string): Promise<Response> => {
      const text = await (await send(page)).text();
      const form = [...text.matchAll(/<form\b.*?<\/form>/gs)].find(([all]) =>
        all.includes(`action="${action}"`),
      );
      if (!form) throw new Error(`${page} has no form ${action}`);
      const fields = [...form[0].matchAll(/<input[^>]*type="hidden"[^>]*>/g)].map(([input]) =>
        ['name', 'value'].map((each) => new RegExp(`${each}="([^"]*)"`).exec(input)?.[1] ?? ''),
      );
      return send(action, Object.fromEntries(fields) as Record<string, string>);
    };
    return { send, submit, logged };
  };

  it('simulates a backup for the visitor who started it alone', async () => {
    const { send, logged } = visitor();
    const started = await send('/servers/2/backups', {});
    expect(started.status).toBe(303);
    const job = started.headers.get('location') ?? '';
    await logged(job, 'new or changed');
    expect((await ask(job)).status).toBe(404);
    expect((await visitor().send(job)).status).toBe(404);
  });

  it('simulates the other actions of operators', async () => {
    const { send, submit, logged } = visitor();
    const approved = await submit('/approvals/1', '/approvals/1/approve');
    expect(approved.status).toBe(303);
    expect((await send('/approvals/2/refuse', {})).status).toBe(303);
    expect((await send('/notifications/1/acknowledge', {})).status).toBe(303);
    expect((await send('/servers/1/files/mkdir', { p: '', name: 'new' })).status).toBe(303);
    expect(await (await send('/servers/1/files')).text()).toContain('new');
    const [job = ''] = /\/jobs\/\d+/.exec(await (await send('/approvals/1')).text()) ?? [];
    await logged(job, 'Processing triggers');
    expect(await (await ask('/approvals/1')).text()).toContain('/approvals/1/approve');
  });

  it('reaches nothing, and has no accounts and tokens', async () => {
    const headers = { 'Sec-Fetch-Site': 'same-origin', 'Content-Type': 'application/x-www-form-urlencoded' };
    for (const path of ['/sign-in', '/settings/users', '/settings/tokens/new']) {
      const answer = await ask(path, { method: 'POST', headers });
      expect([path, answer.status]).toEqual([path, 403]);
      expect(await answer.text()).toContain('The demo does not simulate this');
    }
    const bearer = { Authorization: `Bearer drv_${'x'.repeat(36)}` };
    for (const [path, init] of [
      ['/api/v1/health', {}],
      ['/api/v1/health', { headers: bearer }],
      ['/mcp', { method: 'POST', headers: { ...bearer, 'Content-Type': 'application/json' }, body: '{}' }],
    ] as const) {
      const answer = await ask(path, init);
      expect([answer.status, await answer.json()]).toMatchObject([403, { code: 'tokens_disabled' }]);
    }
  });

  it('leaves what is configured alone, and nothing behind', async () => {
    expect(await demos()).toHaveLength(before.length + 1);
    expect(await service.stop()).toBe(0);
    expect(receiver.received).toEqual([]);
    expect(await readdir(dataDir)).toEqual([]);
    expect(await demos()).toEqual(before);
  });
});
