import { createPrivateKey, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { z } from 'zod';
import { DomainError } from '../../../../domain/base/errors.ts';

/** Ten times OpenSSH's default. A round takes about 25 ms. */
const MAX_KDF_ROUNDS = 240;

export const hasSshFormat = (text: string): boolean => text.startsWith('-----BEGIN OPENSSH PRIVATE KEY-----');

/** Reads OpenSSH's own format, which Node does not know and ssh2 does. */
export async function readSshFormat(text: string, passphrase: string | undefined): Promise<ReadKey> {
  if (kdfRounds(text) > MAX_KDF_ROUNDS) {
    throw refuseKey(
      `The key's passphrase is stretched by more than ${MAX_KDF_ROUNDS} rounds: reduce them with "ssh-keygen -p -a 24 -f KEY".`,
    );
  }
  const { error, pem, comment } = await parseInThread(text, passphrase);
  if (pem === undefined) throw refuseKey(reasonFor(error ?? ''));
  try {
    return { key: createPrivateKey(pem), comment: comment ?? '' };
  } catch {
    throw refuseKey(DAMAGED);
  }
}

const Parsed = z.object({
  error: z.string().optional(),
  pem: z.string().optional(),
  comment: z.string().optional(),
});

/** ssh2 derives a passphrase's key in plain JavaScript, which blocks the service for seconds. */
const PROGRAM = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { utils } = require(workerData.ssh2);
  const parsed = utils.parseKey(workerData.text, workerData.passphrase);
  const key = Array.isArray(parsed) ? parsed[0] : parsed;
  parentPort.postMessage(
    key instanceof Error ? { error: key.message } : { pem: key.getPrivatePEM(), comment: key.comment },
  );
`;

async function parseInThread(text: string, passphrase: string | undefined): Promise<z.infer<typeof Parsed>> {
  const ssh2 = createRequire(import.meta.url).resolve('ssh2');
  const workerData = { ssh2, text, passphrase };
  const worker = new Worker(PROGRAM, { eval: true, env: {}, workerData });
  try {
    const [message]: unknown[] = await once(worker, 'message');
    return Parsed.parse(message);
  } catch {
    return { error: 'the parser failed' };
  }
}

function reasonFor(parserWords: string): string {
  if (/no passphrase/i.test(parserWords)) return ENCRYPTED;
  if (/bad passphrase/i.test(parserWords)) return WRONG_PASSPHRASE;
  const type = /Unsupported OpenSSH private key type: ([\w@.-]{1,64})/.exec(parserWords)?.[1];
  if (type !== undefined) return unsupportedType(type);
  if (/Unsupported cipher/i.test(parserWords)) {
    return 'The encryption of the key is not supported: change it with "ssh-keygen -p -Z aes256-ctr -f KEY".';
  }
  return DAMAGED;
}

/** From the head of OpenSSH's format: magic, cipher, name of the derivation, its options (salt, rounds). */
function kdfRounds(text: string): number {
  const body = Buffer.from(text.replace(/-----.*-----/g, ''), 'base64');
  let at = 'openssh-key-v1\0'.length;
  const next = (): Buffer => {
    if (at + 4 > body.length) return Buffer.alloc(0);
    const start = at + 4;
    at = start + body.readUInt32BE(at);
    return body.subarray(start, at);
  };
  next();
  const kdf = next().toString('latin1');
  const options = next();
  return kdf === 'bcrypt' && options.length >= 8 ? options.readUInt32BE(options.length - 4) : 0;
}

export interface ReadKey {
  readonly key: KeyObject;
  readonly comment: string;
}

export const ENCRYPTED = 'The key is encrypted: enter its passphrase.';
export const WRONG_PASSPHRASE = 'The passphrase of the key is wrong.';
export const DAMAGED = 'The private key cannot be read: it is damaged, or was cut off when it was copied.';

export const unsupportedType = (type: string): string =>
  `A key of type ${type} is not supported: use ed25519, ECDSA (nistp256, nistp384, nistp521) or RSA.`;

/** Parsers' own words are never passed on: they might quote the key. */
export const refuseKey = (detail: string): DomainError => new DomainError('invalid_input', detail);
