import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyHeaders } from '@fastify/busboy';
import { DomainError, type InputProblem, InvalidInput } from '../../../domain/base/errors.ts';
import { ConnectionLost } from './body.ts';

/** Sizes in bytes, times in milliseconds. */
const MAX_FIELD_LENGTH = 8_192;
const MAX_FIELDS = 20;
/** A client that sends nothing for this long is given up; a slow host does not count. */
const STALLED = 60_000;
/** How much, and for how long, a rejected upload is still read, so that the client sees the reply. */
const MAX_DISCARD_BYTES = 8 * 1024 * 1024;
const MAX_DISCARD_TIME_MS = 5_000;

/** A form's fields, and its file as far as it has come. */
export interface SentForm {
  readonly fields: ReadonlyMap<string, string>;
  readonly file: { readonly name: string; readonly content: AsyncIterable<Uint8Array> };
}

/** Throws `unsupported_media_type` if the request has no form. */
export function requireForm(req: IncomingMessage): void {
  const type = (req.headers['content-type'] ?? '').toLowerCase();
  const encoding = req.headers['content-encoding']?.toLowerCase() ?? 'identity';
  if (/^multipart\/form-data;.*boundary=/.test(type) && encoding === 'identity') return;
  throw new DomainError(
    'unsupported_media_type',
    'Send a form with "Content-Type: multipart/form-data": the fields first, then the file in the part "file".',
  );
}

/**
 * Reads a form up to the content of its file, which the caller then reads. Nothing is stored on disk, and memory only
 * holds data in transit. Throws `InvalidInput`; the content fails with `ConnectionLost` if the client disconnects,
 * and with `InvalidInput` if the rest of the form is invalid.
 */
export function readForm(req: IncomingMessage): Promise<SentForm> {
  return new Promise((resolve, reject) => {
    const fields = new Map<string, string>();
    const problems: InputProblem[] = [];
    let file: Readable | null = null;
    const fail = (error: Error): void => {
      req.unpipe(form);
      file?.destroy(error);
      reject(error);
    };
    const wrong = (path: string, message: string): void =>
      fail(new InvalidInput([...problems, { path, message }]));
    const form = new Busboy({
      headers: req.headers as BusboyHeaders,
      preservePath: true,
      limits: { fieldSize: MAX_FIELD_LENGTH, fields: MAX_FIELDS, files: 1, parts: MAX_FIELDS + 1 },
    });
    form.on('field', (name, value, nameCut, valueCut) => {
      const path = `/${name.slice(0, 80)}`;
      if (file) wrong(path, 'Comes after the file; send the fields first.');
      else if (fields.has(name)) problems.push({ path, message: 'Given twice.' });
      else if (nameCut || valueCut)
        problems.push({ path, message: `Has more than ${MAX_FIELD_LENGTH} bytes.` });
      fields.set(name, value);
    });
    form.on('file', (field, stream, name) => {
      file = stream;
      // handled by its reader
      stream.on('error', () => undefined);
      if (field !== 'file') wrong(`/${field.slice(0, 80)}`, 'A file goes into the part "file".');
      else if (problems.length > 0) fail(new InvalidInput(problems));
      else resolve({ fields, file: { name: name ?? '', content: contentOf(stream) } });
    });
    form.on('partsLimit', () => wrong('', `A form has at most ${MAX_FIELDS} fields and one file.`));
    form.on('fieldsLimit', () => wrong('', `A form has at most ${MAX_FIELDS} fields.`));
    form.on('filesLimit', () => wrong('/file', 'One file at a time.'));
    form.on('error', () => wrong('', 'The form is malformed or ends too early.'));
    form.on('finish', () => {
      if (!file) wrong('/file', 'Is missing; send the file in the part "file".');
    });
    req.on('close', () => {
      if (!req.complete) fail(new ConnectionLost());
    });
    req.on('error', () => fail(new ConnectionLost()));
    req.pipe(form);
  });
}

async function* contentOf(stream: Readable): AsyncGenerator<Uint8Array> {
  const chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  try {
    for (;;) {
      const next = await inTime(chunks.next()).catch(asRefusal);
      if (next.done) return;
      yield next.value;
    }
  } finally {
    stream.destroy();
  }
}

/** The parser has a separate message for a form that ends in the middle of its file. */
function asRefusal(error: unknown): never {
  if (error instanceof InvalidInput || error instanceof ConnectionLost) throw error;
  throw new InvalidInput([{ path: '/file', message: 'The form is malformed or ends too early.' }]);
}

async function inTime<T>(next: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new ConnectionLost()), STALLED);
  });
  try {
    return await Promise.race([next, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Reads on for a while and throws it away; settles when the client has sent all, or enough was read. */
export function discardRest(req: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    if (req.complete || req.destroyed) {
      resolve();
      return;
    }
    let size = 0;
    const timer = setTimeout(done, MAX_DISCARD_TIME_MS);
    function done(): void {
      clearTimeout(timer);
      resolve();
    }
    req.unpipe();
    req.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_DISCARD_BYTES) done();
    });
    req.once('end', done);
    req.once('close', done);
    req.resume();
  });
}
