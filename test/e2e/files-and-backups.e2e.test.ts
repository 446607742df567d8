import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { useHost } from '../fleet/use-host.ts';
import { Person } from '../support/browser.ts';
import { describeWith } from '../support/capabilities.ts';
import { useService } from '../support/service.ts';
import { enrol } from './enrol.ts';
import { lookAtAll, placesIn } from './places.ts';

const PASSWORD = 'quilt-harbor-ninety-violin';
const PREPARE = `mkdir -p /srv/app/conf /srv/app/old && printf 'port = 80\\nname = one\\n' >/srv/app/app.conf &&
printf key >/srv/app/server.key && seq 9 >/srv/app/old/numbers && ln -s /etc/passwd /srv/app/link && chmod 640 /srv/app/app.conf`;

describeWith(['fleet', 'rsync', 'chromium'], 'a person with the files and backups of a host', () => {
  const host = useHost();
  const service = useService(() => ({ settings: { SERVICE_HOST_FILES: '1' } }));
  let person: Person;
  let id: number;
  let files: string;

  beforeAll(async () => {
    await host().exec(PREPARE);
    id = await enrol(service(), host(), 'web');
    await service().cli(['server', 'edit', String(id), '--jail', '/srv/app']);
    await service().cli(['source', 'add', String(id), '--name', 'app', '--path', '/srv/app']);
    await service().cli(['server', 'features', String(id), 'backup=on']);
    files = `${service().url}/servers/${id}/files`;
    person = await Person.sitDown(service().url);
    await person.page.goto(/http:\S+\/welcome#\S+/.exec(service().process.stdout)?.[0] ?? '');
    await person.page.getByLabel('Your name').waitFor();
    await person.type('Your name', 'ann');
    await person.type('Password', PASSWORD);
    await person.press('Create account');
  });
  afterAll(() => person.leave());

  const onHost = async (path: string): Promise<string> => (await host().exec('cat "$1"', [path])).trim();
  const download = async (link: string): Promise<Buffer> => {
    const waiting = person.page.waitForEvent('download');
    await person.page.getByRole('link', { name: link, exact: true }).click();
    return readFile(await (await waiting).path());
  };
  const look = (name: string): Promise<void> => person.look(name);
  const jobEnds = async (): Promise<void> => {
    await person.page.waitForURL(/\/jobs\/\d+$/);
    await person.page.getByText('success', { exact: false }).first().waitFor();
  };

  it('edits a file, uploads one with progress, and downloads it', async () => {
    await person.page.goto(files);
    await person.press('app.conf');
    await person.page.getByLabel('Content').fill('port = 8080\nname = one\n');
    await host().exec("sed -i 's/one/two/' /srv/app/app.conf");
    await person.press('Save');
    expect(await person.page.getByText('-name = two').count()).toBe(1);
    await look('file-editor-conflict');
    await person.press('Save');
    expect(await onHost('/srv/app/app.conf')).toBe('port = 8080\nname = one');
    expect((await host().exec('stat -c %a /srv/app/app.conf')).trim()).toBe('640');
    const content = Buffer.alloc(200_000, 'drover ');
    await person.page
      .getByLabel('File', { exact: true })
      .setInputFiles({ name: 'sent.bin', mimeType: 'x/y', buffer: content });
    await person.page.getByRole('button', { name: 'Upload' }).click();
    await person.page.getByRole('link', { name: 'Download sent.bin' }).waitFor();
    expect(await download('Download sent.bin')).toEqual(content);
  });

  it('sets permissions, packs and deletes a directory, having given the password', async () => {
    await person.page.goto(`${files}/all/mode?p=app.conf`);
    await person.type('Or in octal', '600');
    await person.press('Set permissions');
    expect((await host().exec('stat -c %a /srv/app/app.conf')).trim()).toBe('600');
    expect((await download('Download as zip')).subarray(0, 2).toString()).toBe('PK');
    await person.page.goto(`${files}/all/delete?p=old`);
    await person.type('Name of the directory', 'old');
    await person.press('Delete 2 entries of web');
    expect((await host().exec('ls /srv/app')).split('\n')).not.toContain('old');
  });

  it('backs up, looks into the snapshot, and restores what was deleted', async () => {
    await person.page.goto(`${service().url}/servers/${id}/backups`);
    await person.press('Back up now: app');
    await jobEnds();
    await person.page.goto(`${service().url}/servers/${id}/backups`);
    await person.page.getByRole('link', { name: /^Browse snapshot/ }).click();
    const snapshot = person.page.url();
    await lookAtAll(person, service().url, placesIn('files'), (path) =>
      path.replace('SERVER', String(id)).replace('FILE', 'srv/app/app.conf'),
    );
    await person.page.goto(snapshot);
    expect((await download('Download app.conf')).toString()).toBe('port = 8080\nname = one\n');
    expect(await person.page.getByRole('link', { name: 'Download server.key' }).count()).toBe(0);
    await person.page.goto(`${files}/delete?p=app.conf`);
    await person.press('Delete');
    // five clicks from the Overview, without a script
    await person.page.goto(service().url);
    await person.page.goto(`${service().url}/servers`);
    for (const click of [/^web$/, /^Backups/, /^Browse snapshot/, 'Restore app.conf'])
      await person.page.locator('main').getByRole('link', { name: click }).first().click();
    await look('restore');
    await person.type('Name of the server', 'web');
    await person.press('Restore to web');
    await jobEnds();
    expect(await onHost('/srv/app/app.conf')).toBe('port = 8080\nname = one');
  });
});
