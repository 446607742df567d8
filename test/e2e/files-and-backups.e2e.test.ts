import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { useHost } from '../fleet/use-host.ts';
import { Person } from '../support/browser.ts';
import { describeWith } from '../support/capabilities.ts';
import { Effort } from '../support/effort.ts';
import { useService } from '../support/service.ts';
import { enrol } from './enrol.ts';
import { lookAtAll, placesIn } from './places.ts';

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
    await person.signUp(service().process);
  });
  afterAll(() => person.leave());

  const onHost = async (path: string): Promise<string> => (await host().exec('cat "$1"', [path])).trim();
  const download = async (link: string): Promise<Buffer> => {
    const waiting = person.page.waitForEvent('download');
    await person.page.getByRole('link', { name: link, exact: true }).click();
    return readFile(await (await waiting).path());
  };
  /** From the menu of its row. */
  const downloadOf = async (name: string): Promise<Buffer> => {
    await person.page.getByRole('button', { name: `More actions: ${name}` }).click();
    return download(`Download: ${name}`);
  };
  const look = (name: string): Promise<void> => person.look(name);
  const jobEnds = async (): Promise<void> => {
    await person.page.waitForURL(/\/jobs\/\d+$/);
    await person.page.getByText('succeeded', { exact: false }).first().waitFor();
  };

  it('edits a file, uploads one with progress, and downloads it', async () => {
    await person.page.goto(service().url);
    const effort = new Effort(person);
    await effort.press('web');
    await effort.press('Files');
    await effort.press('app.conf');
    await effort.type('Content', 'port = 8080\nname = one\n');
    await effort.press('Preview changes');
    const changes = person.page.getByLabel('Changes');
    expect(await changes.locator('ins').allTextContents()).toEqual(['+port = 8080\n']);
    await look('file-editor-preview');
    await host().exec("sed -i 's/one/two/' /srv/app/app.conf");
    await person.page.getByLabel('Content').press('Control+s');
    await changes.getByText('-name = two').waitFor();
    expect(await onHost('/srv/app/app.conf')).toBe('port = 80\nname = two');
    await look('file-editor-conflict');
    await effort.press('Save');
    await person.page.getByText('File saved').waitFor();
    expect(effort).toMatchObject({ clicks: 5, fields: 1 });
    expect(await onHost('/srv/app/app.conf')).toBe('port = 8080\nname = one');
    expect((await host().exec('stat -c %a /srv/app/app.conf')).trim()).toBe('640');
    const unsaved = person.page.getByText('Unsaved changes');
    expect(await unsaved.isVisible()).toBe(false);
    await person.type('Content', 'port = 8080\nname = three\n');
    await unsaved.waitFor();
    await person.page.getByLabel('Content').press('Control+s');
    await unsaved.waitFor({ state: 'hidden' });
    expect(await onHost('/srv/app/app.conf')).toBe('port = 8080\nname = three');
    await person.press('Close');
    const content = Buffer.alloc(200_000, 'drover ');
    await person.page.locator('summary', { hasText: 'Upload' }).click();
    await person.page
      .getByLabel('File', { exact: true })
      .setInputFiles({ name: 'sent.bin', mimeType: 'x/y', buffer: content });
    await person.page.getByRole('button', { name: 'Upload' }).click();
    expect(await downloadOf('sent.bin')).toEqual(content);
  });

  it('sets permissions, packs and deletes a directory, having given the password', async () => {
    await person.page.goto(`${files}/all/mode?p=app.conf`);
    await person.type('Or in octal', '600');
    await person.press('Set permissions');
    expect((await host().exec('stat -c %a /srv/app/app.conf')).trim()).toBe('600');
    await person.press('More actions of this directory');
    expect((await download('Download as zip')).subarray(0, 2).toString()).toBe('PK');
    await person.page.goto(`${files}/all/delete?p=old`);
    await person.type('Directory name', 'old');
    await person.press('Delete 2 entries on web');
    expect((await host().exec('ls /srv/app')).split('\n')).not.toContain('old');
  });

  it('backs up, looks into the snapshot, and restores what was deleted', async () => {
    await person.page.goto(service().url);
    const backup = new Effort(person);
    await backup.press('web');
    await backup.press('Back up now: web');
    await jobEnds();
    expect(backup).toMatchObject({ clicks: 2, fields: 0 });
    await person.page.goto(`${service().url}/servers/${id}/backups`);
    await person.page.getByRole('link', { name: /^Browse: snapshot/ }).click();
    const snapshot = person.page.url();
    await lookAtAll(person, service().url, placesIn('files'), (path) =>
      path.replace('SERVER', String(id)).replace('FILE', 'srv/app/app.conf'),
    );
    await person.page.goto(snapshot);
    expect((await downloadOf('app.conf')).toString()).toBe('port = 8080\nname = three\n');
    expect(await person.page.getByRole('link', { name: 'Download: server.key' }).count()).toBe(0);
    await person.page.goto(`${files}/delete?p=app.conf`);
    await person.press('Delete');
    await person.page.goto(service().url);
    const restore = new Effort(person);
    await restore.press('web');
    for (const name of [/^Backups/, /^Browse: snapshot/, 'Restore…: app.conf'])
      await restore.click(person.page.locator('main').getByRole('link', { name }));
    await look('restore');
    await restore.type('Server name', 'web');
    await restore.press('Create 1 file on web');
    expect(restore).toMatchObject({ clicks: 5, fields: 1 });
    await jobEnds();
    expect(await onHost('/srv/app/app.conf')).toBe('port = 8080\nname = three');
  });
});
