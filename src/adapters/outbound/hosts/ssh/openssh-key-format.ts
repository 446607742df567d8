import { type KeyObject, randomBytes } from 'node:crypto';
import type { KeyPair } from '../../../../application/ports/fleet/key-maker.ts';
import { fingerprintOf } from './host-key.ts';

/** A private key in the parts that SSH writes. */
interface KeyParts {
  readonly algorithm: string;
  readonly publicBlob: Buffer;
  /** The part after the algorithm's name in the private section. */
  readonly privateFields: Buffer;
}

const BLOCK_BYTES = 8;
const LINE_CHARACTERS = 70;

/**
 * Writes a private key as OpenSSH does, without encryption, with its public half; `null` for a type without an SSH
 * name. Node writes PEM only in forms that ssh2 does not read for ed25519. The format: PROTOCOL.key in OpenSSH's
 * sources.
 */
export function writeKey(key: KeyObject, comment: string): KeyPair | null {
  const parts = partsOf(key);
  if (!parts) return null;
  const { algorithm, publicBlob, privateFields } = parts;
  const check = randomBytes(4);
  const section = Buffer.concat([check, check, text(algorithm), privateFields, text(comment)]);
  const missing = (BLOCK_BYTES - (section.length % BLOCK_BYTES)) % BLOCK_BYTES;
  const padding = Buffer.from(Array.from({ length: missing }, (_, index) => index + 1));
  const file = Buffer.concat([
    Buffer.from('openssh-key-v1\0'),
    text('none'),
    text('none'),
    text(''),
    Buffer.from([0, 0, 0, 1]),
    string(publicBlob),
    string(Buffer.concat([section, padding])),
  ]);
  return {
    algorithm,
    publicKey: [algorithm, publicBlob.toString('base64'), comment].join(' ').trimEnd(),
    fingerprint: fingerprintOf(publicBlob),
    privateKey: pem('OPENSSH PRIVATE KEY', file),
  };
}

function partsOf(key: KeyObject): KeyParts | null {
  switch (key.asymmetricKeyType) {
    case 'ed25519':
      return ed25519Parts(key);
    case 'ec':
      return ecdsaParts(key);
    case 'rsa':
      return rsaParts(key);
    default:
      return null;
  }
}

function ed25519Parts(key: KeyObject): KeyParts {
  const algorithm = 'ssh-ed25519';
  const { x, d } = key.export({ format: 'jwk' });
  const point = bytes(x);
  const privateFields = Buffer.concat([string(point), string(Buffer.concat([bytes(d), point]))]);
  return { algorithm, publicBlob: Buffer.concat([text(algorithm), string(point)]), privateFields };
}

function ecdsaParts(key: KeyObject): KeyParts | null {
  const { crv, x, y, d } = key.export({ format: 'jwk' });
  const curve = { 'P-256': 'nistp256', 'P-384': 'nistp384', 'P-521': 'nistp521' }[crv ?? ''];
  if (curve === undefined) return null;
  const algorithm = `ecdsa-sha2-${curve}`;
  const point = Buffer.concat([Buffer.from([4]), bytes(x), bytes(y)]);
  const shared = Buffer.concat([text(curve), string(point)]);
  const privateFields = Buffer.concat([shared, integer(bytes(d))]);
  return { algorithm, publicBlob: Buffer.concat([text(algorithm), shared]), privateFields };
}

function rsaParts(key: KeyObject): KeyParts {
  const algorithm = 'ssh-rsa';
  const { n, e, d, qi, p, q } = key.export({ format: 'jwk' });
  const publicBlob = Buffer.concat([text(algorithm), integer(bytes(e)), integer(bytes(n))]);
  const privateFields = Buffer.concat([n, e, d, qi, p, q].map((number) => integer(bytes(number))));
  return { algorithm, publicBlob, privateFields };
}

const bytes = (base64url: string | undefined): Buffer => Buffer.from(base64url ?? '', 'base64url');

/** Length of four bytes, then the bytes. */
function string(content: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  return Buffer.concat([length, content]);
}

const text = (content: string): Buffer => string(Buffer.from(content));

/** A positive number: no leading zero bytes except one if the first bit is set (RFC 4251, 5: mpint). */
function integer(number: Buffer): Buffer {
  const start = number.findIndex((byte) => byte !== 0);
  const plain = start < 0 ? Buffer.alloc(0) : number.subarray(start);
  return string((plain[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), plain]) : plain);
}

function pem(label: string, content: Buffer): string {
  const lines = content.toString('base64').match(new RegExp(`.{1,${LINE_CHARACTERS}}`, 'g')) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
}
