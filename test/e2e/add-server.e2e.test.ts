import { afterAll, beforeAll, expect, it } from 'vitest';
import { useHost } from '../fleet/use-host.ts';
import { Person } from '../support/browser.ts';
import { describeWith } from '../support/capabilities.ts';
import { Effort } from '../support/effort.ts';
import { useService } from '../support/service.ts';
import { lookAtAll, placesIn } from './places.ts';

const PASSWORD = 'quilt-harbor-ninety-violin';

describeWith(['chromium', 'fleet', 'rsync'], 'a person who starts with Drover on the page', () => {
  const host = useHost();
  const service = useService();
  let person: Person;
  beforeAll(async () => {
    person = await Person.sitDown(service().url);
  });
  afterAll(() => person.leave());

  it('has the first backup of the machine itself after two clicks and two fields', async () => {
    const link = /http:\S+\/welcome#\S+/.exec(service().process.stdout)?.[0] ?? '';
    await person.page.goto(link);
    await person.page.waitForURL(/\/welcome$/);
    const effort = new Effort(person);
    await effort.type('Your name', 'ann');
    await effort.type('Password', PASSWORD);
    await effort.press('Create account');
    await person.look('first-steps');
    await effort.press('Run the first backup');
    await person.page.getByText('succeeded').first().waitFor();
    expect(effort).toMatchObject({ clicks: 2, fields: 2 });
    expect(await service().cli(['server', 'remove', '1', '--yes'])).toMatchObject({ code: 0 });
  });

  it('adds a server with five clicks, one field and one page after the address', async () => {
    await host().exec('mkdir -p /srv/data && head -c 100000 /dev/zero >/srv/data/file');
    const { page } = person;
    await page.goto(service().url);
    expect(await page.textContent('#overview')).toContain('Add a server');
    await person.look('fleet-empty');
    const effort = new Effort(person);
    await effort.press('Add a server');
    await effort.type('Address', host().address);
    await effort.press('Continue');
    // The fingerprint appears without a click.
    await page.locator('.fingerprint').waitFor();
    expect(await page.textContent('.fingerprint')).toBe(host().hostKey.fingerprint);
    await person.look('add-key');
    effort.clicks += 1;
    const command = (await page.textContent('#authorise')) ?? '';
    const printed = await host().exec(command);
    expect(printed).toContain(host().hostKey.fingerprint);
    await effort.press('Fingerprints match');
    await page.getByRole('button', { name: 'Finish' }).waitFor();
    await person.look('add-protect');
    const ticked = await page
      .locator('input[name="paths"]:checked')
      .evaluateAll((all) => all.map((each) => (each as unknown as { value: string }).value));
    expect(ticked).toContain('/etc');
    expect(ticked).toContain('/srv');
    expect(ticked).not.toContain('/root');
    expect(await page.locator('input[name="nightly"]').isChecked()).toBe(true);
    await effort.press('Finish');
    await page.locator('#first-backup').getByText('succeeded').waitFor();
    await person.look('add-done');
    expect(effort).toMatchObject({ clicks: 5, fields: 1 });
    expect(effort.loads).toEqual(['/servers/new', '/servers/ID/setup']);
    await lookAtAll(person, service().url, placesIn('adding'));
    expect((await service().cli(['schedule', 'list'])).stdout).toContain('nightly-backup');
  });

  it('sees why a host refuses the key, and what to do', async () => {
    const { page } = person;
    await page.goto(`${service().url}/servers/new`);
    await person.type('Address', host().address);
    await person.type('Name', 'stranger');
    await page.getByText('Advanced').click();
    await person.type('Account', 'nobody');
    await person.press('Continue');
    await page.locator('.fingerprint').waitFor();
    await person.press('Fingerprints match');
    await page.getByText('rejects the login of nobody').waitFor();
    await person.look('add-refused');
    expect(await service().cli(['server', 'remove', 'stranger', '--yes'])).toMatchObject({ code: 0 });
  });

  it('sees that all is well, and at once when the connection is lost and when it heals', async () => {
    await person.page.goto(`${service().url}/`);
    await person.page.locator('#overview').waitFor();
    await person.look('overview-well');
    const { page } = person;
    const status = page.locator('#connection');
    await page.context().setOffline(true);
    await status.filter({ hasText: 'Connection lost at' }).waitFor();
    await page.context().setOffline(false);
    await status.waitFor({ state: 'hidden' });
    await page.keyboard.press('/');
    expect(await page.locator(':focus').getAttribute('name')).toBe('q');
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    await page.locator('#keys').waitFor();
    await person.look('keys');
    await page.keyboard.press('Escape');
    await page.keyboard.press('g');
    await page.keyboard.press('s');
    await page.waitForURL(/\/servers$/);
  });

  it('moves in a menu with the arrow keys', async () => {
    const { page } = person;
    const opener = page.locator('[popovertarget="user-menu"]');
    const focused = (name: string) => page.locator('#user-menu :focus', { hasText: name }).waitFor();
    await opener.focus();
    for (const [key, entry] of [
      ['ArrowDown', 'Account'],
      ['ArrowDown', 'Documentation'],
      ['End', 'Sign out'],
      ['ArrowDown', 'Account'],
      ['ArrowUp', 'Sign out'],
      ['Home', 'Account'],
    ] as const) {
      await page.keyboard.press(key);
      await focused(entry);
    }
    await page.keyboard.press('Escape');
    expect(await opener.evaluate((button) => button.matches(':focus'))).toBe(true);
  });
});
