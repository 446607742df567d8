import { createHash, randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ApiFixture, formOf, openApiFixture } from './api-fixture.ts';

const sha256 = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex');
const FILES = '/api/v1/servers/1/files';
const BOUNDARY = '----of-a-test';

let fixture: ApiFixture;
let token: string;
beforeEach(async () => {
  fixture = await openApiFixture();
  token = await fixture.token(['read', 'files']);
});
afterEach(() => fixture.close());

const upload = (
  fields: object,
  name: string,
  content: string | Buffer,
  headers: Record<string, string> = {},
) => {
  const form = formOf(fields, name, content);
  return fixture.request(FILES, {
    method: 'POST',
    token,
    body: form.body,
    headers: { ...form.headers, ...headers },
  });
};
const contentOf = (path: string): string | undefined => {
  const node = fixture.files.at(`/srv/compose/${path}`);
  return node?.kind === 'file' ? node.bytes.toString('latin1') : undefined;
};
/** A form that is written by hand. */
const send = (...parts: string[]) =>
  fixture.request(FILES, {
    method: 'POST',
    token,
    headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
    body: `${parts.map((part) => `--${BOUNDARY}\r\nContent-Disposition: form-data; ${part}\r\n`).join('')}--${BOUNDARY}--\r\n`,
  });
const FILE_PART = 'name="file"; filename="x"\r\n\r\ncontent';
const DIRECTORY_PART = 'name="p"\r\n\r\napp';

describe('an upload', () => {
  it('puts a file in place, byte by byte, and says what it was', async () => {
    const content = randomBytes(1_500_000);
    expect(await upload({ p: 'app' }, 'größe.bin', content)).toMatchObject({
      status: 200,
      json: {
        ok: true,
        rel: 'app/größe.bin',
        bytes: content.length,
        sha256: sha256(content),
        overwrite: false,
      },
    });
    expect(contentOf('app/größe.bin')).toBe(content.toString('latin1'));
    expect((await upload({ p: 'app' }, 'größe.bin', 'less')).json).toMatchObject({
      bytes: 4,
      overwrite: true,
    });
  });

  it('takes a file of no bytes', async () => {
    expect((await upload({ p: '' }, 'empty', '')).json).toMatchObject({ bytes: 0, sha256: sha256('') });
  });

  it('replaces only what was read', async () => {
    await upload({ p: '' }, 'file', 'one');
    const wrong = await upload({ p: '', if_match: sha256('two') }, 'file', 'three');
    expect(wrong).toMatchObject({ status: 409, json: { code: 'changed_since_read' } });
    expect((await upload({ p: '', if_match: sha256('one') }, 'file', 'two')).status).toBe(200);
    expect(contentOf('file')).toBe('two');
  });

  it.each(['../x', '/etc/x', 'a/b', '..', '', 'a\\b', 'C:\\x'])(
    'does not take %j for a name',
    async (name) => {
      const reply = await upload({ p: 'app' }, name, 'x');
      expect(reply).toMatchObject({ status: 422, json: { code: 'invalid_input' } });
    },
  );

  it('is held to the limit, announced or not, and leaves nothing', async () => {
    const much = Buffer.alloc(2 * 1024 * 1024 + 1);
    expect(await upload({ p: 'app' }, 'much', much)).toMatchObject({
      status: 413,
      json: { code: 'file_too_large' },
    });
    const announced = Buffer.alloc(4 * 1024 * 1024);
    expect(await upload({ p: 'app' }, 'much', announced)).toMatchObject({
      status: 413,
      json: { code: 'file_too_large' },
    });
    expect(contentOf('app/much')).toBeUndefined();
  });

  it('asks for the scope before it reads anything', async () => {
    const reader = await fixture.token(['read']);
    const { body, headers } = formOf({ p: '' }, 'x', Buffer.alloc(100_000));
    const reply = await fixture.request(FILES, { method: 'POST', token: reader, body, headers });
    expect(reply).toMatchObject({ status: 403, json: { code: 'scope_missing' } });
  });

  it('is a form', async () => {
    for (const type of ['application/json', 'multipart/form-data', 'text/plain; boundary=x']) {
      const reply = await fixture.request(FILES, {
        method: 'POST',
        token,
        body: 'x',
        headers: { 'content-type': type },
      });
      expect(reply, type).toMatchObject({ status: 415, json: { code: 'unsupported_media_type' } });
    }
  });

  it.each([
    ['no file', [DIRECTORY_PART], '/file'],
    ['a field after the file', [FILE_PART, DIRECTORY_PART], '/p'],
    ['no directory', [FILE_PART], '/p'],
    ['a field given twice', [DIRECTORY_PART, DIRECTORY_PART, FILE_PART], '/p'],
    ['a field that is not known', [DIRECTORY_PART, 'name="surprise"\r\n\r\n1', FILE_PART], '/surprise'],
    ['a file under another name', [DIRECTORY_PART, FILE_PART.replace('"file"', '"data"')], '/data'],
    ['too many fields', Array.from({ length: 30 }, (_, each) => `name="f${each}"\r\n\r\n1`), ''],
  ])('with %s is refused, and writes nothing', async (_what, parts, path) => {
    const reply = await send(...parts);
    expect(reply).toMatchObject({ status: 422, json: { code: 'invalid_input' } });
    expect(reply.json.errors.map((problem: { path: string }) => problem.path)).toContain(path);
    expect([contentOf('app/x'), contentOf('x')]).toEqual([undefined, undefined]);
  });

  it('that ends in the middle of its form writes nothing', async () => {
    const { body, headers } = formOf({ p: 'app' }, 'cut', 'content of the file');
    const reply = await fixture.request(FILES, {
      method: 'POST',
      token,
      headers,
      body: body.subarray(0, -30),
    });
    expect(reply.status).toBe(422);
    expect(contentOf('app/cut')).toBeUndefined();
  });

  it('that loses its connection in the middle writes nothing, and the next one works', async () => {
    const { body, headers } = formOf({ p: 'app' }, 'lost', Buffer.alloc(500_000));
    const socket = connect(fixture.port, '127.0.0.1');
    const head = [
      `POST ${FILES} HTTP/1.1`,
      'Host: localhost',
      `Authorization: Bearer ${token}`,
      `Content-Type: ${headers['content-type']}`,
      `Content-Length: ${body.length}`,
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    await new Promise((resolve) => socket.write(body.subarray(0, 300_000), resolve));
    socket.destroy();
    expect((await upload({ p: 'app' }, 'next', 'x')).status).toBe(200);
    expect(contentOf('app/lost')).toBeUndefined();
  });

  it('with a key is done once, and its reply belongs to its content', async () => {
    const key = { 'idempotency-key': 'upload-1' };
    const first = await upload({ p: 'app' }, 'once', 'content', key);
    expect(first).toMatchObject({ status: 200, json: { overwrite: false } });
    const again = await upload({ p: 'app' }, 'once', 'content', key);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.json).toEqual(first.json);
    for (const [name, content] of [
      ['once', 'another content'],
      ['another', 'content'],
    ] as const) {
      const other = await upload({ p: 'app' }, name, content, key);
      expect(other).toMatchObject({ status: 422, json: { code: 'idempotency_key_reused' } });
    }
    expect([contentOf('app/once'), contentOf('app/another')]).toEqual(['content', undefined]);
  });
});

describe('a download', () => {
  const download = (path: string, method = 'GET') =>
    fixture.request(`${FILES}/download?p=${encodeURIComponent(path)}`, { token, method });

  it('gives the bytes with their size and hash, for keeping and not for showing', async () => {
    const { status, text, headers } = await download('app/compose.yaml');
    expect([status, text]).toEqual([200, contentOf('app/compose.yaml')]);
    expect(headers.get('content-type')).toBe('application/octet-stream');
    expect(headers.get('content-length')).toBe(String(text.length));
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-disposition')).toBe('attachment; filename="compose.yaml"');
    const digest = Buffer.from(sha256(text), 'hex').toString('base64');
    expect(headers.get('repr-digest')).toBe(`sha-256=:${digest}:`);
  });

  it.each([
    ['page.html', '<script>alert(1)</script>'],
    ['image.svg', '<svg onload="alert(1)"/>'],
    ['a"; filename=x.html', 'x'],
    ['größe 日本.txt', 'x'],
    [';rm', 'x'],
  ])('of %j is never something that a browser runs, and has one name', async (name, content) => {
    fixture.files.file(`/srv/compose/${name}`, content);
    const { status, headers, text } = await download(name);
    expect([status, text]).toEqual([200, content]);
    expect(headers.get('content-type')).toBe('application/octet-stream');
    expect(headers.get('content-disposition')).toMatch(
      /^attachment; filename=("([^"\\]|\\.)*"|[^;" ]+)(; filename\*=UTF-8''[^;"]+)?$/,
    );
  });

  it('gives nothing but headers to HEAD', async () => {
    const { status, text, headers } = await download('app/compose.yaml', 'HEAD');
    expect([status, text, headers.get('content-length')]).toEqual([200, '', '36']);
  });

  it('refuses as every file operation does', async () => {
    expect(await download('none')).toMatchObject({ status: 404, json: { code: 'file_not_found' } });
    expect(await download('app')).toMatchObject({ status: 409, json: { code: 'not_a_file' } });
    expect(await download('../x')).toMatchObject({ status: 422, json: { code: 'invalid_input' } });
    expect(await download('.ssh/id_rsa')).toMatchObject({ status: 403, json: { code: 'path_refused' } });
    fixture.files.file('/srv/compose/much', Buffer.alloc(2 * 1024 * 1024 + 1));
    expect(await download('much')).toMatchObject({ status: 413, json: { code: 'file_too_large' } });
  });
});

describe('a path in an address', () => {
  it.each([
    ['%2e%2e', 422],
    ['..%2f..%2fetc%2fpasswd', 422],
    ['%252e%252e', 404],
    ['a%00b', 422],
    ['%2Fetc%2Fpasswd', 422],
    ['a%5Cb', 422],
    ['app%2Fcompose.yaml', 200],
    ['+', 404],
  ])('%s is decoded once', async (p, status) => {
    expect((await fixture.request(`${FILES}/content?p=${p}`, { token })).status).toBe(status);
  });
});
