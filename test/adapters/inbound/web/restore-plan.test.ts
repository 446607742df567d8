import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DomainError } from '../../../../src/domain/base/errors.ts';
import { HOUR } from '../../../../src/domain/base/instant.ts';
import { requestFor, Witness } from '../../../contracts/backup-engine.contract.ts';
import { FakeRemoteHosts } from '../../../fakes/fake-remote-hosts.ts';
import { openWebFixture, type Visitor, type WebFixture } from './web-fixture.ts';

let fixture: WebFixture;
let operator: Visitor;
let own: string;

/** A snapshot of a server on which one file was replaced, one deleted and one kept since. */
beforeEach(async () => {
  fixture = await openWebFixture();
  const { scene, stock } = fixture;
  const { files } = stock.engine;
  const web = await scene.addServer('web-1', { backup: true }, 'ssh');
  const source = await scene.addSource(web.id, 'etc');
  for (const [path, text] of Object.entries({
    '/etc/hosts': 'one\ntwo\n',
    '/etc/conf.d/gone': 'gone',
    '/etc/conf.d/same': 'same',
    '/etc/shadow': 'root:x',
  }))
    files.set(path, text);
  const request = requestFor(new FakeRemoteHosts().host('web-1').session(), source);
  const startedAt = scene.clock.now();
  const { id } = await scene.snapshots.add(
    await stock.engine.backup({ ...request, startedAt }, new Witness()),
  );
  files.set('/etc/hosts', 'one\nthree\n');
  files.set('/etc/shadow', 'root:other');
  files.delete('/etc/conf.d/gone');
  operator = await fixture.signedIn('operator');
  own = `/snapshots/${id}`;
});
afterEach(() => fixture.close());

describe('Before a restore, the web UI shows its plan', () => {
  test('for the original place, loaded into the form', async () => {
    const { text } = await operator.get(`${own}/restore`);
    expect(text).toMatch(/<nav class="trail".*href="\/servers\/1\/backups".*href="\/snapshots\/1".*<\/nav>/);
    expect(text).toContain('data-needs-name="web-1"');
    expect(text).toContain(`hx-get="/live${own}/restore/plan"`);
    const plan = await operator.get(`/live${own}/restore/plan`);
    expect(plan.status).toBe(200);
    expect(plan.text).toMatch(/data-amount="replaced"[^>]*>2 files/);
    expect(plan.text).toMatch(/data-amount="created"[^>]*>1 file\b/);
    expect(plan.text).toMatch(/data-amount="same"[^>]*>1 file\b/);
    expect(plan.text).toContain(`href="${own}/now?p=etc%2Fhosts"`);
    expect(plan.text).toContain('/etc/conf.d/gone');
    expect(plan.text).not.toContain('/etc/conf.d/same');
  });

  test('and its button says what it does, once the plan is there', async () => {
    expect((await operator.get(`${own}/restore`)).text).toMatch(/id="restore-start"[^>]*>Restore to web-1</);
    const { text } = await operator.get(`/live${own}/restore/plan`);
    expect(text).toMatch(/id="restore-start"[^>]*>Replace 2 files and create 1 file on web-1</);
    const same = await operator.get(`/live${own}/restore/plan?p=etc%2Fconf.d%2Fsame`);
    expect(same.text).toMatch(/id="restore-start" type="submit" disabled [^>]*>Nothing to restore</);
    expect(same.text).toContain('class="of-original nothing"');
  });

  test('again for another folder, or says what is wrong with it', async () => {
    const at = (directory: string) =>
      operator.get(
        `/live${own}/restore/plan?${new URLSearchParams({ p: 'etc/hosts', where: 'directory', directory })}`,
      );
    const { text } = await at('/var/tmp/back');
    expect(text).toContain('Plan for /var/tmp/back');
    expect(text).toMatch(/id="restore-start"[^>]*>Create 1 file on web-1</);
    const wrong = await at('tmp/../x');
    expect([wrong.status, wrong.text.includes('There is no plan: ')]).toEqual([200, true]);
  });

  test('by a button without scripts, and if there are too many paths to load it', async () => {
    const page = (await operator.get(`${own}/restore?p=etc`)).text;
    expect(page).toMatch(/<noscript><button[^>]*formaction="[^"]*\/restore\/preview"/);
    const paths = Array.from({ length: 400 }, (_, n) => ['p', `etc/some-file-${n}`]);
    const many = (await operator.get(`${own}/restore?${new URLSearchParams(paths)}`)).text;
    expect(many).not.toContain('<noscript><button');
    expect(many).toContain('formaction="');
  });

  test('for the selected paths alone, and for another folder', async () => {
    const some = await operator.get(`/live${own}/restore/plan?p=etc%2Fconf.d`);
    expect([some.text.includes('/etc/conf.d/gone'), some.text.includes('/etc/hosts')]).toEqual([true, false]);
    const fields = { path: 'etc/hosts', where: 'directory', directory: '/var/tmp/back' };
    const there = await operator.post(`${own}/restore/preview`, fields);
    expect(there.status).toBe(200);
    expect(there.text).toMatch(/data-amount="created"[^>]*>1 file\b/);
    expect(there.text).toContain('/var/tmp/back/etc/hosts');
    expect(there.text).toContain('value="/var/tmp/back"');
    expect(await fixture.scene.jobs.list({}, { limit: 10, offset: 0 })).toMatchObject({ total: 0 });
    const wrong = await operator.post(`${own}/restore/preview`, { ...fields, directory: 'tmp/../x' });
    expect([wrong.status, wrong.text.includes('aria-invalid="true"')]).toEqual([422, true]);
  });

  test('or why there is none', async () => {
    fixture.stock.liveFiles.fault = new DomainError('host_unreachable', 'web-1 does not answer.');
    const { status, text } = await operator.get(`/live${own}/restore/plan`);
    expect([status, text.includes('web-1 does not answer.')]).toEqual([200, true]);
  });
});

describe('A snapshot is compared with its server', () => {
  test('entry by entry, as long as it is browsed so', async () => {
    expect((await operator.get(`${own}?p=etc`)).text).toContain(`href="${own}?p=etc&amp;now=yes"`);
    const { text } = await operator.get(`${own}?p=etc&now=yes`);
    expect(text).toMatch(/>hosts<.*?href="[^"]*\/now\?p=etc%2Fhosts"[^>]*>.{0,200}?differs/);
    expect(text).toContain(`href="${own}?p=etc%2Fconf.d&amp;now=yes"`);
    const below = (await operator.get(`${own}?p=etc/conf.d&now=yes`)).text;
    expect(below).toMatch(/>gone<.*?missing/);
    expect(below).toMatch(/>same<.*?same/);
    fixture.stock.liveFiles.fault = new DomainError('host_unreachable', 'web-1 does not answer.');
    const without = await operator.get(`${own}?p=etc&now=yes`);
    expect([without.status, without.text.includes('web-1 does not answer.')]).toEqual([200, true]);
  });

  test('with what a restore would change in each folder', async () => {
    const folder = async (place: string) =>
      new RegExp(`/now\\?p=${encodeURIComponent(place)}"[^>]*>.{0,200}?<span>([^<]+)`).exec(
        (await operator.get(`${own}?p=${place.split('/').slice(0, -1).join('/')}&now=yes&exact=yes`)).text,
      )?.[1];
    expect(await folder('etc/conf.d')).toBe('1 missing');
    expect(await folder('etc')).toBe('2 differ, 1 missing');
    const { engine, liveFiles } = fixture.stock;
    const { files } = engine;
    files.set('/etc/conf.d/gone', 'gone');
    expect(await folder('etc/conf.d')).toBe('same');
    const facts = liveFiles.facts.bind(liveFiles);
    liveFiles.facts = async (host, paths) =>
      (await facts(host, paths)).map((each) => (each?.kind === 'dir' ? null : each));
    expect(await folder('etc/conf.d')).toBe('same');
    for (const name of ['gone', 'same']) files.delete(`/etc/conf.d/${name}`);
    expect(await folder('etc/conf.d')).toBe('missing');
  });

  test('file by file, with the lines that a restore would change', async () => {
    const { text } = await operator.get(`${own}/now?p=etc/hosts`);
    expect(text).toMatch(/class="gone">-three/);
    expect(text).toMatch(/class="added">\+two/);
    expect((await operator.get(`${own}/now?p=etc/conf.d/gone`)).text).toContain('missing');
    expect((await operator.get(`${own}/now?p=etc/shadow`)).status).toBe(403);
    expect((await operator.get(`${own}/now?p=etc/nothing`)).status).toBe(404);
  });

  test('by content, if only the time differs', async () => {
    await fixture.scene.clock.advance(HOUR);
    const { text } = await operator.get(`${own}/now?p=etc/conf.d/same`);
    expect([text.includes('<span>same'), text.includes('<span>differs')]).toEqual([true, false]);
  });

  test('folder by folder, with what differs in it', async () => {
    const { text } = await operator.get(`${own}/now?p=etc/conf.d`);
    expect(text).toContain('/etc/conf.d/gone');
    expect(text).toContain(`href="${own}/restore?p=etc%2Fconf.d"`);
    expect((await (await fixture.signedIn('viewer')).get(`${own}/now?p=etc`)).status).toBe(403);
  });
});
