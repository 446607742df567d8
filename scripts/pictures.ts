// npm run pictures: takes the pictures of the README, of the built service with the fleet of the demonstration.
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { Service } from '../test/support/service.ts';
import { ensureReady, ROOT } from './ensure.mjs';
import { findBrowser } from './lib/programs.mjs';

interface Picture {
  readonly name: string;
  readonly path: string;
  readonly theme: 'light' | 'dark';
  /** From there to what the picture shows. */
  readonly go?: (page: Page) => Promise<void>;
}

const PICTURES: readonly Picture[] = [
  { name: 'overview', path: '/', theme: 'light' },
  { name: 'dry-run', path: '/jobs?type=os_patch&status=success', theme: 'light', go: toPlan },
  { name: 'approval', path: '/approvals/1', theme: 'dark' },
];

/** The newest job in the list that is a dry run whose plan can be applied. */
async function toPlan(page: Page): Promise<void> {
  const jobs = await page
    .locator('main a[href^="/jobs/"]')
    .evaluateAll((links) => [
      ...new Set(
        links.map((link) => link.getAttribute('href') ?? '').filter((href) => /^\/jobs\/\d+$/.test(href)),
      ),
    ]);
  const { origin } = new URL(page.url());
  for (const job of jobs) {
    await page.goto(`${origin}${job}`);
    const apply = page.getByRole('button', { name: /^Apply (?:exactly )?this plan$/ });
    if ((await apply.count()) === 0) continue;
    await apply.scrollIntoViewIfNeeded();
    return;
  }
  throw new Error('no dry run has a plan to apply');
}

await ensureReady();
const executablePath = findBrowser();
if (executablePath === undefined) throw new Error('chromium is not there');
const service = await Service.start({ settings: { SERVICE_DEMO: '1' } });
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 860 }, deviceScaleFactor: 1.5 });
  for (const { name, path, theme, go } of PICTURES) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
    await page.goto(`${service.url}${path}`);
    await go?.(page);
    await page.waitForLoadState('networkidle');
    // Readers of the README know that the servers are not theirs.
    await page.locator('.demo').evaluate((banner) => banner.remove());
    await page.screenshot({ path: join(ROOT, `docs/images/${name}.png`) });
  }
} finally {
  await browser.close();
  await service.stop();
  await service.remove();
}
