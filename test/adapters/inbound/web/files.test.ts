import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Server } from '../../../../src/domain/fleet/server.ts';
import { containerOf, inventoryOf } from '../../../support/inventories.ts';
import { openWebFixture, type Visitor, type WebFixture } from './web-fixture.ts';

let fixture: WebFixture;
let web: Server;
let operator: Visitor;
let files: string;

beforeEach(async () => {
  fixture = await openWebFixture();
  web = await fixture.scene.addServer('web-1', {}, 'ssh');
  operator = await fixture.signedIn('operator');
  files = `/servers/${web.id}/files`;
});
afterEach(() => fixture.close());

const giveJail = async (jailDeny: readonly string[] = []): Promise<void> => {
  fixture.stock.files.directory('/srv/app');
  await fixture.scene.servers.change(web.id, { jail: '/srv/app', jailDeny }, 0, () => ({}));
};
const put = (path: string, content: string | Buffer): void =>
  fixture.stock.files.file(`/srv/app/${path}`, content);
const contentOf = (path: string): string | null => {
  const node = fixture.stock.files.at(`/srv/app/${path}`);
  return node?.kind === 'file' ? node.bytes.toString() : null;
};
const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
const hidden = (text: string, name: string): string =>
  new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? '';
const auditOf = async (): Promise<readonly string[]> => {
  const { items } = await fixture.scene.audit.list({}, { limit: 100, offset: 0 });
  return items.map(({ action, actorName, outcome }) => `${action} ${actorName} ${outcome}`);
};

describe('A server without a jail', () => {
  test('teaches what that is, and is given one', async () => {
    expect((await operator.get(files)).text).toContain('has no file access folder');
    const bad = await operator.post(`${files}/jail`, { jail: '/etc/x', jail_deny: 'a/b' });
    expect(bad.status).toBe(422);
    expect(bad.text).toContain('value="/etc/x"');
    expect(bad.text).toContain('value="a/b"');
    expect(bad.text.match(/aria-invalid="true"/g)).toHaveLength(2);
    fixture.stock.files.directory('/srv/app');
    const done = await operator.post(`${files}/jail`, { jail: '/srv/app', jail_deny: '.env *.db' });
    expect(done.location).toBe(files);
    expect((await operator.get(files)).text).toContain('The directory is empty');
    expect((await fixture.scene.servers.find(web.id))?.jailDeny).toEqual(['.env', '*.db']);
  });
});

describe('The editor', () => {
  test('marks the line of invalid YAML, and saves it only if you insist', async () => {
    await giveJail();
    const valid = 'services: {}\n';
    put('site/compose.yaml', valid);
    const page = await operator.get(`${files}/edit?p=site/compose.yaml`);
    expect(page.text).toMatch(/<link rel="stylesheet" href="[^"]*\/editor\.css"/);
    expect(page.text).toContain(`<a href="${files}?p=site">site</a>`);
    const typed = {
      p: 'site/compose.yaml',
      text: 'services:\n  app: [\n',
      if_match: hash(valid),
      crlf: 'no',
    };
    const checked = await operator.post(`${files}/check`, { p: typed.p, text: typed.text });
    expect(JSON.parse(checked.text)).toMatchObject({ fault: { line: 3 } });
    const refused = await operator.post(`${files}/edit`, typed);
    expect(refused.status).toBe(422);
    expect(refused.text).toMatch(/id="text-fault"[^>]*>Line 3: [^<]+<.*name="anyway"/s);
    expect(contentOf('site/compose.yaml')).toBe(valid);
    expect((await operator.post(`${files}/edit`, { ...typed, anyway: 'yes' })).status).toBe(303);
    expect(contentOf('site/compose.yaml')).toBe(typed.text);
    const made = await operator.post(`${files}/new`, { p: '', name: 'x.json', text: '{' });
    expect([made.status, contentOf('x.json')]).toEqual([422, null]);
  });
});

describe('The files of a jail', () => {
  test('are listed with what can be done, denied ones without, names escaped', async () => {
    await giveJail(['.env']);
    put('<b>.txt', 'x');
    put('.env', 'secret');
    put('id_rsa', 'key');
    put('conf/a', '1');
    fixture.stock.files.put('/srv/app/link', { kind: 'link', target: '/etc', changedAt: 0 });
    const { text } = await operator.get(files);
    expect(text).toContain('&lt;b>.txt');
    expect(text).not.toContain('<b>.txt');
    expect(text).toContain(`${files}?p=conf`);
    expect(text.match(/may hold secrets/g)).toHaveLength(2);
    expect(text).not.toContain('download?p=.env');
    expect(text).toContain('link</span>');
    expect((await operator.get(`${files}?p=conf`)).text).toContain(`${files}/edit?p=conf%2Fa`);
    expect((await operator.get(`${files}?p=nothing`)).status).toBe(404);
    expect((await operator.get(`${files}?p=..`)).status).toBe(422);
    expect((await operator.get(`${files}/download?p=.env`)).status).toBe(403);
    expect((await (await fixture.signedIn('viewer')).get(files)).status).toBe(403);
  });

  test('are sorted by a heading, which keeps the directory', async () => {
    await giveJail();
    put('conf/a', '1');
    put('conf/b', '333');
    put('conf/c', '22');
    const { text } = await operator.get(`${files}?p=conf&sort=-size`);
    expect([...text.matchAll(/edit\?p=conf%2F(\w)"/g)].map(([, name]) => name)).toEqual(['b', 'c', 'a']);
    expect(text).toContain(`href="${files}?p=conf&amp;sort=size"`);
  });

  test('are downloaded, never shown', async () => {
    await giveJail();
    put('page.html', '<script>1</script>');
    const { headers, text } = await operator.get(`${files}/download?p=page.html`);
    expect(text).toBe('<script>1</script>');
    expect(headers.get('content-disposition')).toBe('attachment; filename="page.html"');
    expect(headers.get('content-type')).toBe('application/octet-stream');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  test('are renamed and deleted; what is refused is asked again', async () => {
    await giveJail();
    put('a.txt', 'x');
    put('b.txt', 'y');
    put('full/c', 'z');
    const taken = await operator.post(`${files}/rename`, { p: 'a.txt', dest: 'b.txt' });
    expect([taken.status, hidden(taken.text, 'p')]).toEqual([422, 'a.txt']);
    expect(taken.text).toContain('value="b.txt"');
    const bad = await operator.post(`${files}/rename`, { p: 'a.txt', dest: '../x' });
    expect(bad.text).toContain('aria-invalid="true"');
    expect((await operator.post(`${files}/rename`, { p: 'a.txt', dest: 'c.txt' })).location).toBe(files);
    expect(contentOf('c.txt')).toBe('x');
    expect((await operator.get(`${files}/delete?p=c.txt`)).text).toContain('/srv/app/c.txt');
    expect((await operator.post(`${files}/delete`, { p: 'c.txt' })).location).toBe(files);
    expect(contentOf('c.txt')).toBeNull();
    const full = await operator.post(`${files}/delete`, { p: 'full' });
    expect([full.status, full.text.includes('is not empty')]).toEqual([422, true]);
    expect((await operator.post(`${files}/delete`, { p: 'c.txt' })).status).toBe(422);
    expect(await auditOf()).toContain('file.delete operator1 done');
  });

  test('come by upload, and replace others only when that is said', async () => {
    await giveJail();
    const file = (text: string): File => new File([text], 'C:\\tmp\\new.bin');
    const made = await operator.upload(`${files}/upload`, { p: '' }, file('\0one'));
    expect(made.location).toBe(files);
    expect(contentOf('new.bin')).toBe('\0one');
    const again = await operator.upload(`${files}/upload`, { p: '' }, file('two'));
    expect([again.status, again.text.includes('&quot;new.bin&quot; already exists')]).toEqual([422, true]);
    expect(contentOf('new.bin')).toBe('\0one');
    await operator.upload(`${files}/upload`, { p: '', replace: 'yes' }, file('two'));
    expect(contentOf('new.bin')).toBe('two');
    const large = await operator.upload(
      `${files}/upload`,
      { p: '', replace: 'yes' },
      file('x'.repeat(1_000_001)),
    );
    expect([large.status, large.text.includes('limit of file tools, 1000000 bytes')]).toEqual([422, true]);
    expect((await operator.post(`${files}/upload`, { p: '' })).status).toBe(415);
    expect((await operator.upload(`${files}/upload`, { p: '' }, new File([''], '.ssh'))).status).toBe(422);
    expect((await operator.post(`${files}/mkdir`, { p: '', name: 'sub' })).location).toBe(files);
    const twice = await operator.post(`${files}/mkdir`, { p: '', name: 'new.bin' });
    expect([twice.status, twice.text.includes('value="new.bin"')]).toEqual([422, true]);
  });
});

describe('The editor', () => {
  test('previews the changes and saves nothing; a change on the host in between is said', async () => {
    await giveJail();
    put('app.conf', 'one\ntwo\n');
    const sent = {
      p: 'app.conf',
      text: 'one\r\nTWO\r\n',
      if_match: hash('one\ntwo\n'),
      crlf: 'no',
      preview: 'yes',
    };
    const previewed = await operator.post(`${files}/edit`, sent);
    expect(previewed.status).toBe(200);
    expect(previewed.text).toContain('<del>-two');
    expect(previewed.text).toContain('<ins>+TWO');
    expect(previewed.text).toContain(`name="if_match" value="${sent.if_match}"`);
    expect((await operator.get(`${files}/edit?p=app.conf`)).text).toContain('one\ntwo');
    put('app.conf', 'one\nthree\n');
    const late = await operator.post(`${files}/edit`, sent);
    expect([late.status, late.text.includes('TWO'), late.text.includes('three')]).toEqual([409, true, true]);
  });

  test('returns every byte: first lines, line ends, quotes', async () => {
    await giveJail();
    for (const [name, text] of [
      ['unix', '\n\nfirst </textarea><b>"q"\n'],
      ['windows', 'a\r\nb\r\n'],
      ['bare', 'no end'],
    ] as const) {
      put(name, text);
      const opened = await operator.get(`${files}/edit?p=${name}`);
      expect(opened.text).not.toContain('</textarea><b>');
      const sent = {
        p: name,
        if_match: hidden(opened.text, 'if_match'),
        crlf: hidden(opened.text, 'crlf'),
        // as browsers send the content of the field
        text: `${text}#`.replaceAll('\r\n', '\n').replaceAll('\n', '\r\n'),
      };
      expect((await operator.post(`${files}/edit`, sent)).location).toBe(`${files}/edit?p=${name}`);
      expect(contentOf(name)).toBe(`${text}#`);
    }
  });

  test('stays on a file that it saves, unless it can no longer open it', async () => {
    await giveJail();
    put('conf/a', 'one\n');
    const sent = { p: 'conf/a', crlf: 'no', if_match: hash('one\n') };
    const large = await operator.post(`${files}/edit`, { ...sent, text: 'x'.repeat(256 * 1024 + 1) });
    expect(large.location).toBe(`${files}?p=conf`);
    put('conf/a', 'one\n');
    const saved = await operator.post(`${files}/edit`, { ...sent, text: 'two' });
    expect(saved.location).toBe(`${files}/edit?p=conf%2Fa`);
    const after = (await operator.get(`${files}/edit?p=conf%2Fa`)).text;
    expect(after).toContain('File saved');
    expect(after).toMatch(/data-unsaved-mark[^>]* hidden/);
    const late = await operator.post(`${files}/edit`, { ...sent, text: 'three' });
    expect(late.text).toMatch(/data-unsaved-mark(?![^>]* hidden)/);
  });

  test('leads from a saved Compose file to the deployment of its stack, and from no other file', async () => {
    await giveJail();
    const { servers, inventories } = fixture.scene;
    const features = (docker: boolean) => ({ ...web.features, docker });
    await servers.change(web.id, { features: features(true), composeDirs: ['/srv/app'] }, 0, () => ({}));
    const container = containerOf({
      name: 'shop-1',
      project: 'shop',
      path: '/srv/app/shop',
      service: 'shop',
    });
    await inventories.save(web.id, inventoryOf({ containerEngine: 'docker', containers: [container] }));
    const offered = async (p: string) => {
      const [text, changed] = ['services: {}\n', 'services: {a: {image: a}}\n'];
      put(p, text);
      const sent = { p, crlf: 'no', if_match: hash(text), text: changed };
      const { location } = await operator.post(`${files}/edit`, sent);
      const [, href, label] =
        /class="toast">.*?<a href="([^"]*docker_stack_deploy[^"]*)">([^<]+)</s.exec(
          (await operator.get(location ?? '')).text,
        ) ?? [];
      return [new URLSearchParams(href?.replaceAll('&amp;', '&').split('?')[1]).get('source_filter'), label];
    };
    expect(await offered('shop/compose.yaml')).toEqual(['/srv/app/shop', 'Update the stack']);
    expect(await offered('new/docker-compose.yml')).toEqual(['/srv/app/new', 'Deploy this stack']);
    expect(await offered('shop/other.yaml')).toEqual([null, undefined]);
    const made = { p: 'new', name: 'compose.yaml', text: 'services: {}\n' };
    const { location } = await operator.post(`${files}/new`, made);
    expect((await operator.get(location ?? '')).text).toContain('>Deploy this stack<');
    await servers.change(web.id, { features: features(false) }, 0, () => ({}));
    expect(await offered('shop/compose.yaml')).toEqual([null, undefined]);
  });

  test('does not open what it could not return', async () => {
    await giveJail();
    put('binary', Buffer.from([0xff, 0xfe]));
    put('mixed', 'a\r\nb\n');
    put('nul', 'a\0b');
    put('large', 'x'.repeat(256 * 1024 + 1));
    for (const name of ['binary', 'mixed', 'nul', 'large']) {
      const { status, text } = await operator.get(`${files}/edit?p=${name}`);
      expect([status, text.includes('Download it instead')]).toEqual([409, true]);
    }
  });

  test('writes over nothing that changed meanwhile, keeps what was typed, and shows the difference', async () => {
    await giveJail();
    put('app.conf', 'one\ntwo\n');
    const opened = await operator.get(`${files}/edit?p=app.conf`);
    put('app.conf', 'one\nTWO\n');
    const form = { p: 'app.conf', crlf: 'no', text: 'one\r\nthree\r\n' };
    const refused = await operator.post(`${files}/edit`, {
      ...form,
      if_match: hidden(opened.text, 'if_match'),
    });
    expect(refused.status).toBe(409);
    expect(contentOf('app.conf')).toBe('one\nTWO\n');
    expect(refused.text).toContain('one\nthree\n</textarea>');
    expect(refused.text).toContain('<del>-TWO\n</del><ins>+three');
    expect(hidden(refused.text, 'if_match')).toBe(hash('one\nTWO\n'));
    const done = await operator.post(`${files}/edit`, { ...form, if_match: hash('one\nTWO\n') });
    expect([done.location, contentOf('app.conf')]).toEqual([`${files}/edit?p=app.conf`, 'one\nthree\n']);
    fixture.stock.files.move('/srv/app/app.conf', '/srv/app/gone');
    const gone = await operator.post(`${files}/edit`, { ...form, if_match: hash('one\nthree\n') });
    expect([gone.status, gone.text.includes('can no longer be edited')]).toEqual([409, true]);
    expect(gone.text).toContain('one\nthree\n</textarea>');
  });

  test('creates files, and keeps what was typed if the name is invalid', async () => {
    await giveJail();
    put('taken', 'x');
    expect((await operator.get(`${files}/new`)).text).toContain('New text file');
    for (const name of ['taken', 'a/b', '']) {
      const answer = await operator.post(`${files}/new`, { p: '', name, text: 'typed <b>' });
      expect(answer.status).toBe(422);
      expect(answer.text).toContain('typed &lt;b></textarea>');
    }
    const made = await operator.post(`${files}/new`, { p: '', name: 'n', text: 'a\r\nb' });
    expect(made.location).toBe(`${files}/edit?p=n`);
    expect(contentOf('n')).toBe('a\nb');
  });
});
