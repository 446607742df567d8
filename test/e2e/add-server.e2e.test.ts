import { afterAll, beforeAll, expect, it } from 'vitest';
import type { FleetHost } from '../fleet/host.ts';
import { useHost } from '../fleet/use-host.ts';
import { Person } from '../support/browser.ts';
import { describeWith } from '../support/capabilities.ts';
import { useService } from '../support/service.ts';
import { authorise } from './enrol.ts';
import { lookAtAll, placesIn } from './places.ts';

const PASSWORD = 'quilt-harbor-ninety-violin';

describeWith(['chromium', 'fleet', 'rsync'], 'a person who adds the first server on the page', () => {
  const host = useHost();
  const service = useService();
  let person: Person;
  beforeAll(async () => {
    person = await Person.sitDown(service().url);
    // An empty service: not even its own machine is in the fleet.
    expect(await service().cli(['server', 'remove', '1', '--yes'])).toMatchObject({ code: 0 });
    const link = /http:\S+\/welcome#\S+/.exec(service().process.stdout)?.[0] ?? '';
    await person.page.goto(link);
    await person.page.waitForURL(/\/welcome$/);
    await person.type('Your name', 'ann');
    await person.type('Password', PASSWORD);
    await person.press('Create account');
  });
  afterAll(() => person.leave());

  it('comes from an empty fleet by a key and a host key to the first inventory', async () => {
    await host().exec('mkdir -p /srv/data && echo one >/srv/data/file');
    expect(await person.page.textContent('#overview')).toContain('Add a server');
    await person.look('fleet-empty');
    await person.press('Add a server');
    await fillAddress(person, host());
    await person.press('Continue');
    await person.press('I added the key');
    await lookAtAll(person, service().url, placesIn('adding'));
    expect(await person.page.textContent('.fingerprint')).toBe(host().hostKey.fingerprint);
    await person.press('Fingerprints match');
    // The key is not installed yet: the page shows the error and keeps the progress.
    await person.press('Connect');
    expect(await person.page.textContent('[role=alert]')).toContain('rejects the login of root');
    await person.look('add-refused');
    await person.page.goto(`${service().url}/servers/2/setup/key`);
    await authorise(host(), 'root', (await person.page.textContent('#public-key')) ?? '');
    await person.page.goto(`${service().url}/servers/2/setup`);
    await person.press('Connect');
    expect(await person.page.textContent('main')).toContain('Connected to web-1: Debian');
    await person.look('add-features');
  });

  it('makes its first backup, which runs to its end', async () => {
    await person.type('Back up these paths', '/srv/data');
    await person.press('Continue');
    await person.look('add-done');
    await person.press('Start the first backup: web-1');
    await person.page.getByText('success').first().waitFor();
    await person.page.goto(`${service().url}/servers/2`);
    expect(await person.page.textContent('main')).toContain('Snapshots');
  });

  it('sees that all is well, and at once when the connection is lost and when it heals', async () => {
    await person.page.goto(`${service().url}/`);
    await person.page.getByText('Run the first backup').first().waitFor();
    await person.look('overview-well');
    const { page } = person;
    const status = page.locator('#connection');
    await page.context().setOffline(true);
    await status.filter({ hasText: 'No connection since' }).waitFor();
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
});

async function fillAddress(person: Person, { address }: FleetHost): Promise<void> {
  await person.type('Name', 'web-1');
  await person.type('Address', address);
  await person.type('Tags', 'web eu');
}
