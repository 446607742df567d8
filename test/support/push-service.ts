import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PushKeys } from '../../src/application/ports/events/push-sender.ts';

const base64url = (bytes: Buffer): string => bytes.toString('base64url');

/** A browser's keys, and its handling of a message. */
export class Browser {
  readonly #ecdh = createECDH('prime256v1');
  readonly #auth = randomBytes(16);
  readonly #publicKey = this.#ecdh.generateKeys();

  keys(endpoint: string): PushKeys {
    return { endpoint, p256dh: base64url(this.#publicKey), auth: base64url(this.#auth) };
  }

  /** RFC 8291 over RFC 8188, as browsers do; throws where anything of it does not fit. */
  decrypt(body: Buffer): string {
    const salt = body.subarray(0, 16);
    const idLength = body.readUInt8(20);
    const sender = body.subarray(21, 21 + idLength);
    const sealed = body.subarray(21 + idLength);
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), this.#publicKey, sender]);
    const secret = hkdf(this.#auth, this.#ecdh.computeSecret(sender), info, 32);
    const key = hkdf(salt, secret, Buffer.from('Content-Encoding: aes128gcm\0'), 16);
    const nonce = hkdf(salt, secret, Buffer.from('Content-Encoding: nonce\0'), 12);
    const decipher = createDecipheriv('aes-128-gcm', key, nonce);
    decipher.setAuthTag(sealed.subarray(-16));
    const plain = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
    return plain.subarray(0, plain.lastIndexOf(2)).toString();
  }
}

const hkdf = (salt: Buffer, key: Buffer, info: Buffer, length: number): Buffer =>
  Buffer.from(hkdfSync('sha256', key, salt, info, length));

interface Pushed {
  readonly path: string;
  readonly body: Buffer;
  readonly ttl: string | undefined;
  readonly encoding: string | undefined;
  /** The claims of a VAPID header whose signature fits its key; `null` for any other. */
  readonly vapid: {
    readonly aud: string;
    readonly exp: number;
    readonly sub: string;
    readonly k: string;
  } | null;
}

/** A browser vendor's push service: accepts messages, and verifies their VAPID headers. */
export class PushService {
  readonly pushed: Pushed[] = [];
  readonly answers: number[] = [];
  readonly #server: Server = createServer((request, response) => void this.#take(request, response));

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    this.pushed.push({
      path: request.url ?? '',
      body: Buffer.concat(chunks),
      ttl: request.headers['ttl'] as string | undefined,
      encoding: request.headers['content-encoding'],
      vapid: claimsOf(request.headers.authorization ?? ''),
    });
    response.writeHead(this.answers.shift() ?? 201).end();
  }

  /** Returns the address under which browsers are reached. */
  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/push/`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

function claimsOf(header: string): Pushed['vapid'] {
  const [, token = '', k = ''] = /^vapid t=([^,]+), k=(.+)$/.exec(header) ?? [];
  const [head = '', claims = '', signature = ''] = token.split('.');
  const point = Buffer.from(k, 'base64url');
  const key = createPublicKey({
    format: 'jwk',
    key: { kty: 'EC', crv: 'P-256', x: base64url(point.subarray(1, 33)), y: base64url(point.subarray(33)) },
  });
  const signed = Buffer.from(`${head}.${claims}`);
  const fits = verify(
    'sha256',
    signed,
    { key, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  return fits ? { ...JSON.parse(Buffer.from(claims, 'base64url').toString()), k } : null;
}
