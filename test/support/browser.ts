import { mkdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from 'playwright-core';
import { expect } from 'vitest';
import { findBrowser, findProgram } from '../../scripts/lib/programs.mjs';
import type { PushKeys } from '../../src/application/ports/events/push-sender.ts';
import { eventually } from './processes.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** For people, who ask for them with DROVER_SCREENSHOTS=1: they take a quarter of the time of a `look`. */
const SCREENSHOTS = process.env['DROVER_SCREENSHOTS'] === '1' ? join(ROOT, 'test-results/screenshots') : null;
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** Read once. */
let axe: Promise<string> | undefined;

/** What depends on the theme, and on a narrow screen: all else was checked before. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block'];
const OF_SIZES = [
  'target-size',
  'scrollable-region-focusable',
  'color-contrast',
  'region',
  'landmark-unique',
];

/** Of the account that `signUp` creates. */
const PASSWORD = 'quilt-harbor-ninety-violin';

const DESK = { width: 1440, height: 900 };
/** As phones show it. */
const PHONE = { width: 390, height: 844 };

interface SitDown {
  readonly timezoneId?: string;
  readonly provider?: string;
  readonly notified?: boolean;
}

/** A browser with one user. Forbidden actions of a page are recorded, and fail `leave`. */
export class Person {
  readonly page: Page;
  readonly #browser: Browser;
  readonly #faults: string[] = [];

  private constructor(browser: Browser, page: Page) {
    this.#browser = browser;
    this.page = page;
  }

  /**
   * `origin`: the only one that pages may ask anything of, except `provider`, where users sign in. `timezoneId`: that
   * of the user's clock. `notified`: with the browser that can show notifications.
   */
  static async sitDown(
    origin: string,
    { timezoneId, provider, notified = false }: SitDown = {},
  ): Promise<Person> {
    const executablePath = notified ? findProgram('chromium') : findBrowser();
    if (executablePath === undefined) throw new Error('chromium is not there');
    const browser = await chromium.launch({
      executablePath,
      // The third: an emulated graphics card takes a sixth of the time of a test.
      args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
    });
    const context = await browser.newContext({
      viewport: DESK,
      reducedMotion: 'reduce',
      ...(timezoneId === undefined ? {} : { timezoneId }),
    });
    await context.addInitScript(() => {
      const { document: page } = globalThis as unknown as {
        document: { addEventListener(on: string, tell: (what: Record<string, string>) => void): void };
      };
      page.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
        console.error(`the policy forbids ${violatedDirective}: ${blockedURI}`),
      );
    });
    const person = new Person(browser, await context.newPage());
    person.#watch(context, [origin, provider]);
    return person;
  }

  #watch(context: BrowserContext, origins: readonly (string | undefined)[]): void {
    context.on('request', (request) => {
      const { origin: asked, protocol } = new URL(request.url());
      if (!origins.includes(asked) && protocol !== 'data:') this.#faults.push(`asks ${asked}`);
    });
    this.page.on('pageerror', (error) => this.#faults.push(`fails: ${error.message}`));
    this.page.on('console', (message) => {
      const text = message.text();
      // A form that is refused is answered with a 4xx, which the browser reports as well.
      if (message.type() === 'error' && !/status of 4\d\d/.test(text)) this.#faults.push(`says: ${text}`);
    });
  }

  /** Creates the first account by the link that a service printed, and is signed in. */
  async signUp({ stdout }: { readonly stdout: string }): Promise<void> {
    await this.page.goto(/http:\S+\/welcome#\S+/.exec(stdout)?.[0] ?? '');
    await this.page.getByLabel('Your name').waitFor();
    await this.type('Your name', 'ann');
    await this.type('Password', PASSWORD);
    await this.press('Create account');
    expect(await this.page.getByRole('heading', { level: 1 }).textContent()).toBe('Overview');
  }

  /** Fills a field by its label. */
  async type(label: string, text: string): Promise<void> {
    await this.page.getByLabel(label, { exact: true }).fill(text);
  }

  /** Presses the button or follows the link of that name, and waits for the result. */
  async press(name: string): Promise<void> {
    const target = await this.#pressable(name);
    await Promise.all([this.page.waitForLoadState('load'), target.click()]);
    await this.page.waitForLoadState('networkidle');
  }

  /** What the page itself has comes before what is around it, and a button before a link. */
  async #pressable(name: string): Promise<Locator> {
    const places = [this.page.locator('main'), this.page.locator('body')];
    const all = places.flatMap((place) =>
      (['button', 'link'] as const).map((role) => place.getByRole(role, { name, exact: true }).first()),
    );
    for (const each of all) if ((await each.count()) > 0) return each;
    return this.page.getByRole('button', { name, exact: true });
  }

  /** What the menu at the avatar offers. */
  async pressInMenu(name: string): Promise<void> {
    await this.page.getByRole('button', { name: /Account menu of / }).click();
    await this.press(name);
  }

  /**
   * Checks accessibility (WCAG 2.2 AA and axe's good practice) in either theme and on a phone, horizontal scrolling, and
   * forbidden actions of a page. Takes screenshots if they are asked for.
   */
  async look(name: string): Promise<void> {
    const { page } = this;
    await this.#bringAxe();
    await page.emulateMedia({ colorScheme: 'light' });
    await this.#picture(`${name}-light`, null);
    await page.emulateMedia({ colorScheme: 'dark' });
    await this.#picture(`${name}-dark`, OF_COLOURS);
    await page.setViewportSize(PHONE);
    await this.#picture(`${name}-phone`, OF_SIZES);
    await page.emulateMedia({ colorScheme: 'light' });
    expect(await this.#violations(OF_COLOURS), `${name} on a light phone`).toEqual([]);
    expect(await this.#sideways(), `${name} on a phone`).toEqual([]);
    await page.setViewportSize(DESK);
    expect(this.#faults, name).toEqual([]);
  }

  /** The same of what only phones show, in both themes. */
  async lookOnPhone(name: string): Promise<void> {
    await this.#bringAxe();
    for (const colorScheme of ['light', 'dark'] as const) {
      await this.page.emulateMedia({ colorScheme });
      await this.#picture(`${name}-phone-${colorScheme}`, null);
    }
    expect(this.#faults, name).toEqual([]);
  }

  async #bringAxe(): Promise<void> {
    if (SCREENSHOTS !== null) await mkdir(SCREENSHOTS, { recursive: true });
    // Through the debugger: the page's own policy would not let the script in.
    await this.page.evaluate(await (axe ??= readFile(AXE, 'utf8')));
  }

  async #picture(name: string, rules: readonly string[] | null): Promise<void> {
    if (SCREENSHOTS !== null)
      await this.page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), fullPage: true });
    expect(await this.#violations(rules), name).toEqual([]);
  }

  /** With the width of a phone. */
  async onPhone(work: () => Promise<void>): Promise<void> {
    await this.page.setViewportSize(PHONE);
    try {
      await work();
    } finally {
      await this.page.setViewportSize(DESK);
    }
  }

  /** The height of the whole page, with the current width. */
  height(): Promise<number> {
    return this.page.evaluate(() => {
      const { document: page } = globalThis as unknown as {
        document: { documentElement: { scrollHeight: number } };
      };
      return page.documentElement.scrollHeight;
    });
  }

  /** Visible buttons, fields and links outside of sentences whose smaller side is less than this many pixels. */
  smallTargets(least: number): Promise<readonly string[]> {
    return this.page.evaluate((pixels) => {
      const { document: page } = globalThis as unknown as { document: TargetPage };
      return [
        ...page.querySelectorAll(
          'button, select, input:not([type=hidden]), a.button, a.chip, a.place, summary',
        ),
      ]
        .filter((each) => each.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
        .map((each) => {
          // A box with a label is as large as the label.
          const { width, height } = (each.closest('label') ?? each).getBoundingClientRect();
          return { each, width, height };
        })
        .filter(({ width, height }) => width > 1 && Math.min(width, height) < pixels - 0.5)
        .map(
          ({ each, width, height }) =>
            `${Math.round(width)}x${Math.round(height)} ${each.outerHTML.slice(0, 120)}`,
        );
    }, least);
  }

  /** Texts of headings, tables and toasts. */
  labels(): Promise<readonly string[]> {
    return this.page.evaluate(() => {
      const { document: page } = globalThis as unknown as {
        document: { querySelectorAll(all: string): Iterable<{ innerText: string }> };
      };
      return [...page.querySelectorAll('h1, h2, h3, th, td:not(.mono), .toast')].map(
        ({ innerText }) => innerText,
      );
    });
  }

  /** Elements beyond the right edge of the page, which would require scrolling. */
  #sideways(): Promise<readonly string[]> {
    return this.page.evaluate(() => {
      const { document: page } = globalThis as unknown as {
        document: {
          documentElement: { scrollWidth: number; clientWidth: number };
          querySelectorAll(
            all: string,
          ): Iterable<{ outerHTML: string; getBoundingClientRect(): { right: number } }>;
        };
      };
      const { scrollWidth, clientWidth } = page.documentElement;
      if (scrollWidth <= clientWidth) return [];
      return [...page.querySelectorAll('body *')]
        .filter((each) => each.getBoundingClientRect().right > clientWidth)
        .map(({ outerHTML }) => outerHTML.slice(0, 120))
        .slice(0, 5);
    });
  }

  /**
   * The maker's push service of a headless browser is not there: from the next page on the browser gets its subscription
   * from us. All that pages and the service do with it is as ever.
   */
  async standInForPushService(keys: PushKeys): Promise<void> {
    const { context } = this;
    await context.grantPermissions(['notifications']);
    await context.addInitScript((given) => {
      const { PushManager, localStorage: kept } = globalThis as unknown as {
        PushManager: { prototype: object } | undefined;
        localStorage: { setItem(name: string, value: string): void; getItem(name: string): string | null };
      };
      const subscription = {
        endpoint: given.endpoint,
        toJSON: () => ({
          endpoint: given.endpoint,
          keys: { p256dh: given.p256dh, auth: given.auth },
        }),
        unsubscribe: async () => kept.setItem('subscribed', ''),
      };
      Object.assign(PushManager?.prototype ?? {}, {
        subscribe: async () => {
          kept.setItem('subscribed', 'yes');
          return subscription;
        },
        getSubscription: async () => (kept.getItem('subscribed') ? subscription : null),
      });
    }, keys);
  }

  /** Sends a message to the browser's service worker, as from a push service; returns what it shows. */
  async receivePush(origin: string, data: string): Promise<readonly { title: string; to: string }[]> {
    const session = await this.context.newCDPSession(this.page);
    const registered = new Promise<string>((resolve) => {
      session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
        const found = registrations.find(({ scopeURL }) => scopeURL === `${origin}/`);
        if (found) resolve(found.registrationId);
      });
    });
    await session.send('ServiceWorker.enable');
    await session.send('ServiceWorker.deliverPushMessage', {
      origin,
      registrationId: await registered,
      data,
    });
    await session.detach();
    return eventually('the message is shown', 60_000, async () => {
      const shown = await this.page.evaluate(async () => {
        const { navigator: own } = globalThis as unknown as {
          navigator: {
            serviceWorker: {
              ready: Promise<{
                getNotifications(): Promise<readonly { title: string; data: { to: string } }[]>;
              }>;
            };
          };
        };
        const all = await (await own.serviceWorker.ready).getNotifications();
        return all.map(({ title, data: { to } }) => ({ title, to }));
      });
      return shown.length > 0 ? shown : undefined;
    });
  }

  get context(): BrowserContext {
    return this.page.context();
  }

  /** `rules`: these alone; null: all. */
  #violations(rules: readonly string[] | null): Promise<readonly string[]> {
    return this.page.evaluate(async (only) => {
      const { axe: checker } = globalThis as unknown as {
        axe: {
          run(options: object): Promise<{ violations: { id: string; nodes: { target: unknown[] }[] }[] }>;
        };
      };
      const { violations } = await checker.run({
        resultTypes: ['violations'],
        ...(only === null ? { rules: { 'target-size': { enabled: true } } } : { runOnly: only }),
      });
      return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
    }, rules);
  }

  /** Throws if a page did something forbidden. */
  async leave(): Promise<void> {
    await this.#browser.close();
    expect(this.#faults).toEqual([]);
  }
}

interface TargetElement {
  readonly outerHTML: string;
  getBoundingClientRect(): { readonly width: number; readonly height: number };
  closest(selector: string): TargetElement | null;
  checkVisibility(options: object): boolean;
}

interface TargetPage {
  querySelectorAll(all: string): Iterable<TargetElement>;
}
