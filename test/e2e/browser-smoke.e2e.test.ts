import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Person } from '../support/browser.ts';
import { describeWith } from '../support/capabilities.ts';
import { eventually } from '../support/processes.ts';
import { useService } from '../support/service.ts';
import { type Sshd, startSshd } from '../support/sshd.ts';

/** The short way through the web UI that `npm test` takes; test/e2e/pages and its neighbours go all of them. */
describeWith(['ssh', 'chromium'], 'a person with a server behind SSH', () => {
  const service = useService();
  let sshd: Sshd;
  let person: Person;
  beforeAll(async () => {
    sshd = await startSshd();
    person = await Person.sitDown(service().url, { timezoneId: 'Asia/Kolkata' });
  });
  afterAll(async () => {
    await person?.leave();
    await sshd?.stop();
  });

  it('makes the first account and signs in', async () => {
    await person.signUp(service().process);
  });

  it('backs the server up, finds the file in the snapshot and restores it', async () => {
    const source = join(sshd.directory, 'site');
    await mkdir(source);
    await writeFile(join(source, 'index.html'), 'hello');
    await service().cli(['key', 'import', 'mine'], { input: sshd.privateKey });
    const fingerprint = sshd.hostKeys['ed25519']?.fingerprint ?? '';
    const address = ['--host', '127.0.0.1', '--port', String(sshd.port), '--user', userInfo().username];
    const trust = ['--key', 'mine', '--host-key', fingerprint, '--features', 'backup=on'];
    expect(await service().cli(['server', 'add', 'web', ...address, ...trust])).toMatchObject({ code: 0 });
    await service().cli(['source', 'add', 'web', '--name', 'site', '--path', source]);

    await person.page.goto(`${service().url}/servers/2/backups`);
    await person.press('Back up now: site');
    await person.page.waitForURL(/\/jobs\/\d+$/);
    await person.page.locator('#job-state').getByText('succeeded').waitFor();
    await person.page.goto(`${service().url}/servers/2/backups`);
    await person.page.getByRole('link', { name: /^Browse: snapshot/ }).click();
    await person.look('smoke-snapshot');
    await person.press('Restore…: index.html');
    const directory = join(sshd.directory, 'restored');
    await person.page.getByLabel('Another folder').check();
    await person.page.getByLabel('Folder', { exact: true }).fill(directory);
    await person.press('Create 1 file on web');
    await person.page.waitForURL(/\/jobs\/\d+$/);
    await person.page.locator('#job-state').getByText('succeeded').waitFor();
    expect(await readFile(join(directory, source, 'index.html'), 'utf8')).toBe('hello');
  });

  it('backs up and searches without scripts', async () => {
    const { context } = person;
    const plain = await context
      .browser()
      ?.newContext({ javaScriptEnabled: false, storageState: await context.storageState() });
    const page = await plain?.newPage();
    if (page === undefined) throw new Error('the browser is gone');
    await page.goto(`${service().url}/servers/2/backups`);
    await page.getByRole('button', { name: 'Back up now: site' }).click();
    await page.waitForURL(/\/jobs\/\d+$/);
    await eventually('the job ends', 60_000, async () => {
      await page.reload();
      return (await page.locator('#job-state').textContent())?.includes('succeeded') || undefined;
    });
    await page.goto(`${service().url}/search`);
    await page.locator('main input[name=q]').fill('web');
    await page.locator('main').getByRole('button', { name: 'Search' }).click();
    await page.locator('main').getByRole('link', { name: 'web' }).first().click();
    expect(new URL(page.url()).pathname).toBe('/servers/2');
    await plain?.close();
  });

  it('sees times on their own clock, with UTC on hover', async () => {
    await service().cli(['alert', 'mute', '--kind', 'updates.available', '--for', '8h']);
    await person.page.goto(`${service().url}/settings/alerts/policy`);
    const time = person.page.locator('main time[data-local]').first();
    expect(await time.textContent()).toMatch(/GMT\+5:30$/);
    expect(await time.getAttribute('title')).toMatch(/GMT\+5:30; .+ UTC; /);
  });
});
