import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CATALOGUE } from '../../../../src/adapters/inbound/api/catalogue.ts';
import type { Visitor as Person } from '../../../../src/application/access/sessions.ts';
import { MINUTE } from '../../../../src/domain/base/instant.ts';
import type { Server } from '../../../../src/domain/fleet/server.ts';
import { tokenActor } from '../../../support/application-scene.ts';
import { openWebFixture, type Visitor, type WebFixture } from './web-fixture.ts';

let fixture: WebFixture;
let web: Server;
let root: Visitor;
let files: string;

beforeEach(async () => {
  fixture = await openWebFixture();
  web = await fixture.scene.addServer('web-1');
  root = await fixture.signedIn('administrator');
  files = `/servers/${web.id}/files`;
  fixture.stock.files.directory('/srv/app');
  await fixture.scene.servers.change(web.id, { jail: '/srv/app', jailDeny: ['.env'] }, 0, () => ({}));
  put('old/a/one.txt', 'one');
  put('old/two.txt', 'two two');
  fixture.stock.files.put('/srv/app/old/out', { kind: 'link', target: '/etc/passwd', changedAt: 0 });
});
afterEach(() => fixture.close());

const put = (path: string, content: string): void => fixture.stock.files.file(`/srv/app/${path}`, content);
const isThere = (path: string): boolean => fixture.stock.files.at(`/srv/app/${path}`) !== undefined;
const auditOf = async (): Promise<readonly string[]> => {
  const { items } = await fixture.scene.audit.list({}, { limit: 100, offset: 0 });
  return items.map(({ action, outcome, detail }) => `${action} ${outcome} ${JSON.stringify(detail)}`);
};

describe('A directory', () => {
  test('is deleted with what is in it, once its size is shown and its name was given', async () => {
    const form = await root.get(`${files}/all/delete?p=old`);
    expect(form.text).toContain('4 entries, 10 B');
    const wrong = await root.post(`${files}/all/delete`, { p: 'old', confirmation: 'olt' });
    expect([wrong.status, wrong.text.includes('value="olt"'), isThere('old')]).toEqual([422, true, true]);
    expect(wrong.text).toContain('aria-invalid="true"');
    const done = await root.post(`${files}/all/delete`, { p: 'old', confirmation: 'old' });
    expect([done.location, isThere('old')]).toEqual([files, false]);
    expect(await auditOf()).toContain('file.delete_tree done {"path":"old","entries":4,"bytes":10}');
  });

  test('that holds what is denied stays, and so does one that is too large', async () => {
    put('old/a/.env', 'secret');
    const form = await root.get(`${files}/all/delete?p=old`);
    expect(form.text).toContain('a/.env');
    expect(form.text).not.toContain('name="confirmation"');
    const refused = await root.post(`${files}/all/delete`, { p: 'old', confirmation: 'old' });
    expect([refused.status, isThere('old')]).toEqual([422, true]);
    for (let i = 0; i <= 10_000; i += 1) put(`large/${i}`, '');
    expect((await root.get(`${files}/all/delete?p=large`)).text).toContain('more than 10,000 entries');
    await root.post(`${files}/all/delete`, { p: 'large', confirmation: 'large' });
    expect(isThere('large/7')).toBe(true);
  });

  test('is packed as it is sent: links as links, nothing that is denied', async () => {
    put('old/a/.env', 'secret');
    put('old/id_rsa', 'key');
    const { headers, text } = await root.get(`${files}/all/zip?p=old`);
    expect(headers.get('content-disposition')).toBe('attachment; filename="old.zip"');
    expect(headers.get('content-type')).toBe('application/octet-stream');
    for (const name of ['a/one.txt', 'two.txt', 'out', 'left-out-by-drover.txt'])
      expect(text).toContain(name);
    expect(text).not.toContain('.envPK');
    expect((await root.get(`${files}/all/zip?p=nothing`)).status).toBe(404);
    expect((await auditOf()).join()).toContain('file.zip done {"path":"old"');
  });
});

describe('Permissions', () => {
  test('are set by boxes or in octal; invalid input is asked again', async () => {
    const path = `${files}/all/mode`;
    expect((await root.get(`${path}?p=old/two.txt`)).text).toContain('<code>0644</code>');
    await root.post(path, { p: 'old/two.txt', owner: ['4', '2'], group: ['4'] });
    expect(fixture.stock.files.at('/srv/app/old/two.txt')).toMatchObject({ mode: 0o640 });
    await root.post(path, { p: 'old/two.txt', mode: '0755' });
    expect(fixture.stock.files.at('/srv/app/old/two.txt')).toMatchObject({ mode: 0o755 });
    for (const mode of ['4755', '1777', '888', 'u+x', '77']) {
      const answer = await root.post(path, { p: 'old/two.txt', mode });
      expect([answer.status, answer.text.includes(`value="${mode}"`)]).toEqual([422, true]);
    }
    expect((await root.post(path, { p: 'old/out', mode: '777' })).text).toContain('symbolic link');
    expect(await auditOf()).toContain('file.chmod done {"path":"old/two.txt","from":"0640","to":"0755"}');
  });
});

describe('What goes beyond single files', () => {
  test('asks for the password again, and leads back to the very directory', async () => {
    await fixture.scene.clock.advance(11 * MINUTE);
    const answer = await root.get(`${files}/all/zip?p=old&x=1`);
    expect(answer.location).toBe(`/confirm?next=${encodeURIComponent(`${files}/all/zip?p=old`)}`);
  });

  test('looks at all of a host, and at nothing secret there', async () => {
    const { files: disk, lookAtHost } = fixture.stock;
    disk.file('/etc/hosts', 'hosts');
    disk.file('/etc/shadow', 'root:x');
    disk.file('/proc/1/environ', 'SECRET=1');
    const host = `/servers/${web.id}/host`;
    const top = await root.get(host);
    expect(top.text).toContain(`${host}?p=etc`);
    expect(top.text).not.toContain(`${host}?p=proc`);
    expect((await root.get(`${host}/download?p=etc/hosts`)).text).toBe('hosts');
    for (const p of ['etc/shadow', 'proc/1/environ', 'root/.ssh/id_rsa']) {
      expect((await root.get(`${host}/download?p=${p}`)).status, p).toBe(403);
    }
    expect((await (await fixture.signedIn('operator')).get(host)).status).toBe(403);
    expect((await auditOf()).join()).toContain('host.download done {"p":"etc/hosts"}');
    Object.assign(lookAtHost, { enabled: false });
    expect((await root.get(host)).text).toContain('SERVICE_HOST_FILES=1');
  });

  test('is in no catalogue', () => {
    const offered = JSON.stringify(CATALOGUE.map(({ name, routes }) => [name, routes]));
    expect(offered).not.toMatch(/chmod|mode|zip|tree|recursive|restore|snapshots\/\{[^}]*\}\//);
  });

  test('refuses everyone but an administrator in person, whatever else is granted', async () => {
    const { stock, scene } = fixture;
    const session = { stage: 'full', confirmedAt: scene.clock.now() };
    const [user] = (await scene.users.list({ limit: 10, offset: 0 })).items;
    const admin = { session, user } as unknown as Person;
    const token = { ...admin, actor: tokenActor() };
    const lent = { ...admin, actor: tokenActor({ role: 'administrator', id: user?.id ?? 0 }) };
    const gone = new AbortController().signal;
    for (const visitor of [token, lent]) {
      const { privilegedFileOps: ops } = stock;
      for (const work of [
        () => ops.preview(visitor, web.id, 'old'),
        () => ops.removeTree(visitor, web.id, 'old', 'old'),
        () => ops.mode(visitor, web.id, 'old'),
        () => ops.changeMode(visitor, web.id, 'old', '777'),
        () => ops.zip(visitor, web.id, 'old', gone),
      ]) {
        await expect(work()).rejects.toMatchObject({ code: 'role_missing' });
      }
    }
    const late = {
      ...admin,
      actor: tokenActor({ kind: 'user', role: 'administrator', id: user?.id ?? 0 }),
      session: { ...session, confirmedAt: scene.clock.now() - 11 * MINUTE },
    } as unknown as Person;
    await expect(stock.privilegedFileOps.removeTree(late, web.id, 'old', 'old')).rejects.toMatchObject({
      code: 'confirmation_needed',
    });
    expect(isThere('old/two.txt')).toBe(true);
    expect((await auditOf()).filter((line) => line.includes('role_missing'))).toHaveLength(10);
    for (const role of ['operator', 'viewer'] as const) {
      const browser = await fixture.signedIn(role);
      expect((await browser.get(`${files}/all/zip?p=old`)).status).toBe(403);
      expect((await browser.post(`${files}/all/delete`, { p: 'old', confirmation: 'old' })).status).toBe(403);
    }
  });
});
