import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allRoutes } from '../../src/adapters/inbound/web/all-routes.ts';
import { Person } from '../support/browser.ts';
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
      },
    );
  });

  it('changes nothing, reaches nothing and has no tokens', async () => {
    const headers = { 'Sec-Fetch-Site': 'same-origin', 'Content-Type': 'application/x-www-form-urlencoded' };
    for (const path of ['/jobs/1/cancel', '/approvals/1/approve', '/sign-in', '/settings/users']) {
      const answer = await ask(path, { method: 'POST', headers });
      expect([path, answer.status]).toEqual([path, 403]);
      expect(await answer.text()).toContain('This is a demonstration');
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
