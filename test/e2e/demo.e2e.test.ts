import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allRoutes } from '../../src/adapters/inbound/web/all-routes.ts';
import { bareTimes } from '../support/bare-times.ts';
import { Person } from '../support/browser.ts';
import { Effort } from '../support/effort.ts';
import { overlaps } from '../support/overlaps.ts';
import { cutOff, mainActions, smallText } from '../support/page-layout.ts';
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
  ['demo-search-empty', '/search'],
  ['demo-weekly-schedule', '/schedules/3/edit'],
  ['demo-policy-with-limits', '/policies/2/edit'],
  // Its plan ends where the bar of a phone is.
  ['demo-approval-short', '/approvals/3'],
  // Unreachable, with an overdue backup.
  ['demo-server-in-need', '/servers/30'],
] as const;

const press = (page: Page, name: string | RegExp): Promise<void> =>
  page.getByRole('button', { name }).first().click();

/** What opens on a page: tabs, menus, dialogs, selections and the notice after an action. */
const OPENED: readonly (readonly [string, string, (page: Page) => Promise<void>])[] = [
  ['demo-job-log', '/jobs/FAILED', (page) => page.getByRole('link', { name: /^Log/ }).first().click()],
  ['demo-account-menu', '/', (page) => press(page, /Account menu of/)],
  ['demo-server-menu', '/servers/1', (page) => press(page, 'More actions')],
  ['demo-stack-menu', '/servers/1/containers', (page) => press(page, /Actions of the stack/)],
  ['demo-mute-menu', '/notifications', (page) => press(page, /Mute: /)],
  ['demo-approve-menu', '/approvals/1', (page) => press(page, 'Other ways to approve')],
  ['demo-more-filters', '/jobs', (page) => page.getByText('More filters').click()],
  [
    'demo-palette',
    '/servers',
    async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Search' }).fill('nas');
      await page.locator('#found').getByText('nas-01').first().waitFor();
    },
  ],
  ['demo-row-menu', '/servers', (page) => press(page, /More actions: /)],
  [
    'demo-servers-selected',
    // Few rows: the bar of the selection covers a part of none.
    '/servers?q=mail',
    async (page) => {
      for (const row of [0, 1]) await page.locator('main tbody input[name=ids]').nth(row).check();
    },
  ],
  [
    'demo-toast',
    '/notifications',
    async (page) => {
      await press(page, /^Acknowledge/);
      // A toast stays as long as the pointer is over it.
      await page.locator('.toast').hover();
    },
  ],
];

const MAX_HEIGHT = 2_000;
/** On a phone, a list starts with its first rows. */
const MAX_PHONE_HEIGHT = 3_300;
/** All servers of a batch: as long as what was asked for. */
/** What one thumb scrolls through. */
const PHONE_HEIGHTS: Readonly<Record<string, number>> = {
  'demo-overview': 1_900,
  'demo-servers-id': 2_000,
  'demo-server-in-need': 2_000,
  'demo-settings-alerts-policy': 1_600,
};
const LONG = ['demo-batches-id', 'demo-batch-plan'];

/** Actions of a row are buttons, or are in its menu. */
const BARE_ACTIONS = 'td.end a:not(.button, .menu a), td.end button.plain';

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
    if (!LONG.includes(name))
      expect
        .soft(await person.height(), `height of ${name} on a phone`)
        .toBeLessThanOrEqual(PHONE_HEIGHTS[name] ?? MAX_PHONE_HEIGHT);
    expect.soft(await person.smallTargets(44), `targets of ${name} on a phone`).toEqual([]);
    expect.soft(await overlaps(person.page), `overlaps of ${name} on a phone`).toEqual([]);
    expect.soft(await smallText(person.page), `small text of ${name} on a phone`).toEqual([]);
  });
  expect.soft(await person.page.locator(BARE_ACTIONS).count(), `bare row actions of ${name}`).toBe(0);
  expect.soft(await cutOff(person.page), `cut off on ${name}`).toEqual([]);
  expect.soft((await mainActions(person.page)).slice(1), `further main actions of ${name}`).toEqual([]);
  expect.soft(await identifiersOf(person), `identifiers of ${name}`).toEqual([]);
}

const identifiersOf = async (person: Person): Promise<readonly string[]> =>
  (await person.labels()).filter((text) => RAW.some((pattern) => pattern.test(text)));

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

  /** The first one of a list. Between two jobs of the demo, none may be running. */
  const firstOf = (path: string, kind: string): Promise<string> =>
    eventually(
      `${path} shows something`,
      60_000,
      async () => new RegExp(`href="/${kind}/(\\d+)[?"]`).exec(await (await ask(path)).text())?.[1],
    );

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
        const place = path.replace(/[A-Z]{3,}/, (word) => ids[word] ?? word);
        await person.page.goto(service.url + place);
        await person.page.getByText('This is a demo').first().waitFor();
        await person.look(name);
        expect.soft(bareTimes(await (await ask(place)).text()), `times of ${name}`).toEqual([]);
        await fits(person, name);
      },
    );

    it.each(OPENED)('%s is as good as the page around it', async (name, path, open) => {
      const { page } = person;
      await page.goto(service.url + path.replace(/[A-Z]{3,}/, (word) => ids[word] ?? word));
      await open(page);
      await person.look(name);
      expect(await identifiersOf(person), `identifiers of ${name}`).toEqual([]);
    });

    it('shows all places on a phone', async () => {
      await person.page.goto(service.url);
      await person.onPhone(async () => {
        await person.page.getByRole('button', { name: 'More', exact: true }).click();
        await person.page.getByRole('link', { name: 'Audit log' }).waitFor();
        await person.lookOnPhone('demo-places');
        expect(await person.smallTargets(44)).toEqual([]);
      });
    });

    it('shows after one click why a job failed, and leads to the cure with another', async () => {
      const { page } = person;
      await page.goto(service.url);
      const effort = new Effort(person);
      await effort.click(page.locator('#attention-failed a[href^="/jobs/"]'));
      await page.waitForURL(/\/jobs\/\d+$/);
      await page
        .locator('main')
        .getByText(/half-configured|not healthy|ended the connection/)
        .first()
        .waitFor();
      await effort.click(page.locator('#job-facts .banner a:not([href^="#"], [href^="/docs/"])'));
      await page.waitForURL(/\/servers\/\d+(?:\/(?:updates|containers))?$/);
      expect(effort).toMatchObject({ clicks: 2, fields: 0 });
    });

    it('shows the end of a backup on an open page, and leaves an open menu and the position', async () => {
      const { page } = person;
      await page.goto(`${service.url}/servers/4`);
      // A reload would delete it.
      await page.evaluate(() => Object.assign(globalThis, { isSamePage: true }));
      await press(page, 'More actions');
      await page.mouse.wheel(0, 150);
      const other = await person.context.newPage();
      await other.goto(`${service.url}/servers/4`);
      await other.getByRole('button', { name: /^Back up now/ }).click();
      await other.waitForURL(/\/jobs\/\d+$/);
      const job = new URL(other.url()).pathname;
      await other.close();
      await page.locator(`tr:has(a[href="${job}"])`).getByText('succeeded').waitFor({ timeout: 60_000 });
      expect(await page.locator('#more-actions').isVisible()).toBe(true);
      expect(
        await page.evaluate(() => {
          const { isSamePage, scrollY } = globalThis as unknown as { isSamePage?: true; scrollY: number };
          return { isSamePage, scrolled: scrollY > 0 };
        }),
      ).toEqual({ isSamePage: true, scrolled: true });
    });

    it('leaves a half-typed form alone while the page around it is refreshed', async () => {
      const { page } = person;
      await page.goto(`${service.url}/servers/1/settings`);
      await page.getByLabel('Notes').fill('half a sentence');
      const refreshed = page.waitForResponse(/\/live\/servers\/1\/head/);
      await page.evaluate(() =>
        Object.assign(globalThis, {}).document.dispatchEvent(new Event('visibilitychange')),
      );
      await refreshed;
      expect(await page.getByLabel('Notes').inputValue()).toBe('half a sentence');
      expect(await page.getByLabel('Notes').evaluate((field) => field.matches(':focus'))).toBe(true);
    });

    it('finds servers by name in the list of a form', async () => {
      const { page } = person;
      await page.goto(`${service.url}/schedules/new?type=backup`);
      await page.getByLabel('These servers').check();
      const choices = page.locator('.if-ids .choice:visible');
      const all = await choices.count();
      await page.getByLabel('Find servers').fill('nas-');
      expect(await choices.count()).toBeGreaterThan(0);
      expect(await choices.count()).toBeLessThan(all);
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

  it("shows times in the reader's time zone, with UTC on hover", async () => {
    const person = await Person.sitDown(service.url, { timezoneId: 'Asia/Kolkata' });
    const { page } = person;
    const LOCAL = /^\d{1,2} [A-Z][a-z]{2} \d{4}, \d\d:\d\d (?:GMT\+5:30|IST)$/;
    const text = async (selector: string): Promise<string> =>
      (await page.locator(selector).first().textContent()) ?? '';
    try {
      await page.goto(`${service.url}/jobs/${await firstOf('/jobs?status=failed', 'jobs')}`);
      const stamp = page.locator('#log .line time').first();
      const [minute = '', second = ''] = ((await stamp.getAttribute('datetime')) ?? '')
        .split(/[:Z]/)
        .slice(1);
      expect(await stamp.textContent()).toMatch(
        new RegExp(`:${String((Number(minute) + 30) % 60).padStart(2, '0')}:${second}$`),
      );
      expect(await stamp.getAttribute('title')).toMatch(new RegExp(`:${minute}:${second} UTC$`));
      expect(await text('[data-zone]')).toMatch(/^(?:GMT\+5:30|IST)$/);

      await page.goto(`${service.url}/snapshots/1`);
      expect(await text('h1 time')).toMatch(LOCAL);
      expect(await text('[aria-current="page"] time')).toMatch(LOCAL);
      expect(await page.title()).toMatch(/GMT\+5:30|IST/);
      const bar = page.locator('.timeline a').first();
      for (const name of ['title', 'aria-label']) expect(await bar.getAttribute(name)).not.toContain('UTC');

      await page.goto(`${service.url}/servers/1/metrics`);
      expect(await text('main table time')).toMatch(LOCAL);
      await page.goto(`${service.url}/servers/1`);
      expect(await text('.heat title')).toMatch(/, 05:30 to .*, 05:30 (?:GMT\+5:30|IST): /);
      expect(await page.locator('time[data-ago]').first().getAttribute('title')).toMatch(
        /(?:GMT\+5:30|IST); .* UTC; /,
      );
    } finally {
      await person.leave();
    }
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
    // The shared demo goes on in the meantime, and may have a job of this number on another server.
    expect(await (await ask('/servers/2/jobs')).text()).not.toContain(`href="${job}"`);
    expect(await (await visitor().send('/servers/2/jobs')).text()).not.toContain(`href="${job}"`);
  });

  it("goes on with running jobs in the visitor's copy, as the only replica", async () => {
    const running = await firstOf('/jobs?status=running', 'jobs');
    const { send } = visitor();
    await send('/notifications/1/acknowledge', {});
    await eventually(`job ${running} ends`, 60_000, async () =>
      (await (await send('/jobs?status=running')).text()).includes(`href="/jobs/${running}"`)
        ? undefined
        : running,
    );
    expect(await (await send('/settings/about')).text()).toMatch(
      /Running replicas<\/h2><span class="quiet">1</,
    );
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

  it('simulates the actions of administrators, and what hosts answer', async () => {
    const { send } = visitor();
    for (const [path, form] of [
      ['/servers/1/check', {}],
      ['/settings/users/bert/role', { role: 'viewer' }],
      ['/settings/keys', { name: 'new' }],
      ['/settings/tokens/new', { name: 'agent', scopes: 'read' }],
      ['/settings/alerts/webhooks/chat/disable', {}],
      ['/settings/alerts/webhooks/pager/ping', {}],
      ['/settings/repositories/offsite/check', { read: '0' }],
      ['/settings/alerts/new-channel/ntfy', { name: 'mine', topic: 'alerts-of-mine' }],
    ] as const)
      expect([path, (await send(path, form)).status]).toEqual([path, 303]);
    for (const [path, words] of [
      ['/settings/alerts/channels/phone/test', 'accepted'],
      ['/settings/sign-in/providers/company/test', 'read the keys'],
    ] as const) {
      const answer = await send(path, {});
      expect([path, answer.status, await answer.text()]).toEqual([path, 200, expect.stringContaining(words)]);
    }
    const about = await (await ask('/settings/about')).text();
    for (const words of ['drover-demo-', 'has not reported yet']) expect(about).not.toContain(words);
    const log = await send('/servers/1/containers/shop-app-1/log');
    expect([log.status, await log.text()]).toEqual([200, expect.stringContaining('listening on')]);
    const found = await (await send('/servers/1/containers/shop-app-1/log?q=listening&lines=100')).text();
    expect(found).toMatch(/1 of \d+ lines/);
    expect(await (await send('/servers/1/containers')).text()).toContain('443/udp');
  });

  it('keeps an unreachable server so, whatever a visitor reads', async () => {
    const textOf = async (path: string): Promise<string> => (await ask(path)).text();
    const [, id = ''] =
      /<td[^>]*>(?:<span class="dot[^>]*><\/span>)?\s*<a href="\/servers\/(\d+)"/.exec(
        await textOf('/servers?needs=unreachable'),
      ) ?? [];
    const [, snapshot = ''] = /href="\/snapshots\/(\d+)/.exec(await textOf(`/servers/${id}/backups`)) ?? [];
    expect(await textOf(`/snapshots/${snapshot}?now=yes`)).toContain('no route to host');
    expect(await textOf(`/servers/${id}`)).toContain('Unreachable for');
  });

  it('reaches nothing, and has no account of the visitor and no tokens of programs', async () => {
    const headers = { 'Sec-Fetch-Site': 'same-origin', 'Content-Type': 'application/x-www-form-urlencoded' };
    for (const path of ['/sign-in', '/account/password']) {
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
