import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');
const hmac = (key: string | Buffer, data: string): Buffer => createHmac('sha256', key).update(data).digest();

interface Answer {
  readonly status: number;
  readonly body?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

const xml = (body: string): string => `<?xml version="1.0" encoding="UTF-8"?>\n${body}`;
const fault = (status: number, code: string): Answer => ({
  status,
  body: xml(`<Error><Code>${code}</Code><Message>${code}</Message></Error>`),
  headers: { 'content-type': 'application/xml' },
});

/**
 * The part of the S3 protocol that backup programs use, in memory: buckets and objects by path, ranges, lists. Every
 * request must carry a valid signature (Signature Version 4) of the only key; bodies may be signed chunks.
 */
export class S3Server {
  readonly objects = new Map<string, Buffer>();
  url = '';
  readonly #buckets = new Set<string>();
  readonly #key: { readonly id: string; readonly secret: string };
  readonly #server: Server;

  private constructor(key: { readonly id: string; readonly secret: string }) {
    this.#key = key;
    this.#server = createServer((request, response) => {
      void this.#serve(request, response);
    });
  }

  static async start(
    address: { readonly host: string; readonly port: number },
    key: { readonly id: string; readonly secret: string },
  ): Promise<S3Server> {
    const s3 = new S3Server(key);
    await new Promise<void>((resolve) => s3.#server.listen(address.port, address.host, resolve));
    s3.url = `http://${address.host}:${address.port}`;
    return s3;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { status, body = '', headers = {} } = this.#answer(request, Buffer.concat(chunks));
    response.writeHead(status, { 'content-length': Buffer.byteLength(body), ...headers });
    response.end(request.method === 'HEAD' ? undefined : body);
  }

  #answer(request: IncomingMessage, sent: Buffer): Answer {
    const refusal = this.#refusal(request, sent);
    if (refusal) return refusal;
    const url = new URL(request.url ?? '/', 'http://s3');
    const [bucket = '', ...rest] = url.pathname.slice(1).split('/').map(decodeURIComponent);
    const key = rest.join('/');
    if (key === '') return this.#bucketAnswer(request.method ?? '', bucket, url.searchParams);
    if (!this.#buckets.has(bucket)) return fault(404, 'NoSuchBucket');
    return this.#objectAnswer(request, `${bucket}/${key}`, sent);
  }

  #bucketAnswer(method: string, bucket: string, query: URLSearchParams): Answer {
    if (method === 'PUT') {
      this.#buckets.add(bucket);
      return { status: 200 };
    }
    if (query.has('location')) return { status: 200, body: xml('<LocationConstraint/>') };
    if (!this.#buckets.has(bucket)) return fault(404, 'NoSuchBucket');
    if (method === 'HEAD') return { status: 200 };
    return {
      status: 200,
      body: this.#listing(bucket, query),
      headers: { 'content-type': 'application/xml' },
    };
  }

  #listing(bucket: string, query: URLSearchParams): string {
    const prefix = query.get('prefix') ?? '';
    const delimiter = query.get('delimiter') ?? '';
    const folders = new Set<string>();
    const contents: string[] = [];
    for (const [path, object] of [...this.objects].sort(([one], [other]) => (one < other ? -1 : 1))) {
      if (!path.startsWith(`${bucket}/${prefix}`)) continue;
      const key = path.slice(bucket.length + 1);
      const at = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length);
      if (at >= 0) folders.add(key.slice(0, at + 1));
      else
        contents.push(
          `<Contents><Key>${key}</Key><Size>${object.length}</Size><LastModified>2026-01-01T00:00:00.000Z</LastModified><ETag>"x"</ETag></Contents>`,
        );
    }
    const common = [...folders].map((each) => `<CommonPrefixes><Prefix>${each}</Prefix></CommonPrefixes>`);
    return xml(
      `<ListBucketResult><Name>${bucket}</Name><Prefix>${prefix}</Prefix><IsTruncated>false</IsTruncated>${contents.join('')}${common.join('')}</ListBucketResult>`,
    );
  }

  #objectAnswer(request: IncomingMessage, path: string, sent: Buffer): Answer {
    if (request.method === 'PUT') {
      const content = String(request.headers['x-amz-content-sha256']).startsWith('STREAMING-')
        ? unchunked(sent)
        : sent;
      this.objects.set(path, content);
      return { status: 200, headers: { etag: `"${createHash('md5').update(content).digest('hex')}"` } };
    }
    if (request.method === 'DELETE') {
      this.objects.delete(path);
      return { status: 204 };
    }
    const object = this.objects.get(path);
    if (!object) return fault(404, 'NoSuchKey');
    const headers = { etag: '"x"', 'last-modified': 'Thu, 01 Jan 2026 00:00:00 GMT' };
    if (request.method === 'HEAD')
      return { status: 200, headers: { ...headers, 'content-length': String(object.length) } };
    const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
    if (from === undefined) return { status: 200, body: object, headers };
    const body = object.subarray(Number(from), to ? Number(to) + 1 : undefined);
    const range = `bytes ${from}-${Number(from) + body.length - 1}/${object.length}`;
    return { status: 206, body, headers: { ...headers, 'content-range': range } };
  }

  /** By the rules of AWS Signature Version 4. */
  #refusal(request: IncomingMessage, sent: Buffer): Answer | null {
    const [, id, day, region, names, signature] =
      /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
        request.headers.authorization ?? '',
      ) ?? [];
    if (id === undefined || !day || !region || !names) return fault(403, 'AccessDenied');
    if (id !== this.#key.id) return fault(403, 'InvalidAccessKeyId');
    const payload = String(request.headers['x-amz-content-sha256']);
    if (/^[0-9a-f]{64}$/.test(payload) && payload !== sha256(sent))
      return fault(400, 'XAmzContentSHA256Mismatch');
    const [path = '', query = ''] = (request.url ?? '').split('?');
    const canonical = [
      request.method,
      path,
      query
        .split('&')
        .filter((part) => part !== '')
        .map((part) => (part.includes('=') ? part : `${part}=`))
        .sort()
        .join('&'),
      ...names.split(';').map((name) => `${name}:${String(request.headers[name] ?? '').trim()}`),
      '',
      names,
      payload,
    ].join('\n');
    const scope = `${day}/${region}/s3/aws4_request`;
    const text = ['AWS4-HMAC-SHA256', request.headers['x-amz-date'], scope, sha256(canonical)].join('\n');
    const key = [day, region, 's3', 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${this.#key.secret}`);
    return hmac(key, text).toString('hex') === signature ? null : fault(403, 'SignatureDoesNotMatch');
  }
}

/** `SIZE;chunk-signature=…` in hexadecimal, the bytes, and so on until a chunk of none. */
function unchunked(sent: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const end = sent.indexOf('\r\n', at);
    const size = Number.parseInt(sent.toString('latin1', at, end), 16);
    if (end < 0 || !(size > 0)) return Buffer.concat(parts);
    parts.push(sent.subarray(end + 2, end + 2 + size));
    at = end + 2 + size + 2;
  }
}
