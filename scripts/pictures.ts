// npm run pictures: takes new pictures for the README, of the built service with a simulated fleet.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { openDatabase } from '../src/adapters/outbound/storage/sql/database.ts';
import { migrate } from '../src/adapters/outbound/storage/sql/migrate.ts';
import { RecordingLogger } from '../test/fakes/recording-logger.ts';
import { Service } from '../test/support/service.ts';
import { ensureReady, ROOT } from './ensure.mjs';
import { findProgram } from './lib/programs.mjs';
import { seedFleet } from './pictures/seed.ts';

const PERSON = { name: 'ann', password: 'quilt-harbor-ninety-violin' };
const PICTURES = [
  { name: 'overview', path: '/', theme: 'light' },
  { name: 'server', path: '/servers?q=web-1', theme: 'light', follow: 'web-1' },
  { name: 'servers', path: '/servers?sort=-updates', theme: 'dark' },
] as const;

await ensureReady();
const executablePath = findProgram('chromium');
if (executablePath === undefined) throw new Error('chromium is not there');
const dataDir = await mkdtemp(join(tmpdir(), 'drover-pictures-'));
const database = openDatabase({ url: null, dataDir });
await migrate(database, { owner: 'pictures', log: new RecordingLogger() });
await seedFleet(database);
await database.close();
const service = await Service.start({ dataDir });
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
  await page.goto(/http:\S+\/welcome#\S+/.exec(service.process.stdout)?.[0] ?? '');
  await page.getByLabel('Your name').fill(PERSON.name);
  await page.getByLabel('Password').fill(PERSON.password);
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByLabel('Name').fill(PERSON.name);
  await page.getByLabel('Password').fill(PERSON.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  for (const picture of PICTURES) {
    await page.emulateMedia({ colorScheme: picture.theme, reducedMotion: 'reduce' });
    await page.goto(`${service.url}${picture.path}`);
    if ('follow' in picture) await page.getByRole('link', { name: picture.follow, exact: true }).click();
    await page.waitForLoadState('networkidle');
    await page.screenshot({ path: join(ROOT, `docs/images/${picture.name}.png`) });
  }
} finally {
  await browser.close();
  await service.remove();
  await rm(dataDir, { recursive: true, force: true });
}
