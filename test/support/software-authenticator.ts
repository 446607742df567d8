import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isoCBOR } from '@simplewebauthn/server/helpers';

const PRESENT = 0x01;
const VERIFIED = 0x04;
const HAS_KEY = 0x40;

const encode = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');
const sha256 = (bytes: string | Uint8Array): Buffer => createHash('sha256').update(bytes).digest();

/** What an attacker or a broken device may do differently. */
interface Deviations {
  readonly origin?: string;
  readonly rpId?: string;
  readonly crossOrigin?: boolean;
  readonly userHandle?: string | null;
  /** Without a PIN, fingerprint or face. */
  readonly isUnverified?: boolean;
  readonly counter?: number;
  readonly type?: string;
  /** The signature is over something else. */
  readonly isForged?: boolean;
}

/** A security key with one passkey, which makes the same bytes as a real one (WebAuthn Level 3, sections 5.8 and 6.1). */
export class SoftwareAuthenticator {
  readonly credentialId = encode(randomBytes(32));
  readonly #keys: { readonly publicKey: KeyObject; readonly privateKey: KeyObject };
  readonly #origin: string;
  userHandle = '';
  counter = 0;

  constructor(origin: string) {
    this.#origin = origin;
    this.#keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  }

  /** The answer to a challenge to create a passkey, with attestation `none`. */
  create(challenge: string, userHandle: string, deviations: Deviations = {}): string {
    this.userHandle = userHandle;
    const { x = '', y = '' } = this.#keys.publicKey.export({ format: 'jwk' });
    const key = new Map<number, number | Uint8Array>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, new Uint8Array(Buffer.from(x, 'base64url'))],
      [-3, new Uint8Array(Buffer.from(y, 'base64url'))],
    ]);
    const id = Buffer.from(this.credentialId, 'base64url');
    const length = Buffer.alloc(2);
    length.writeUInt16BE(id.length);
    const authData = Buffer.concat([
      this.#authData(HAS_KEY, deviations),
      Buffer.alloc(16),
      length,
      id,
      isoCBOR.encode(key),
    ]);
    const attestation = new Map<string, unknown>([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', new Uint8Array(authData)],
    ]);
    return this.#answer({
      clientDataJSON: encode(this.#clientData('webauthn.create', challenge, deviations)),
      attestationObject: encode(isoCBOR.encode(attestation as never)),
      transports: ['usb'],
    });
  }

  /** The answer to a challenge to use it. */
  use(challenge: string, deviations: Deviations = {}): string {
    this.counter += 1;
    const clientData = this.#clientData('webauthn.get', challenge, deviations);
    const authData = this.#authData(0, deviations);
    const signed = Buffer.concat([authData, deviations.isForged ? randomBytes(32) : sha256(clientData)]);
    const handle = deviations.userHandle === undefined ? this.userHandle : deviations.userHandle;
    return this.#answer({
      clientDataJSON: encode(clientData),
      authenticatorData: encode(authData),
      signature: encode(sign('sha256', signed, this.#keys.privateKey)),
      userHandle: handle === null ? null : encode(Buffer.from(handle)),
    });
  }

  #answer(response: object): string {
    const id = this.credentialId;
    return JSON.stringify({ id, rawId: id, type: 'public-key', clientExtensionResults: {}, response });
  }

  #clientData(type: string, challenge: string, deviations: Deviations): Buffer {
    const { origin = this.#origin, crossOrigin = false } = deviations;
    return Buffer.from(JSON.stringify({ type: deviations.type ?? type, challenge, origin, crossOrigin }));
  }

  #authData(flags: number, { rpId, isUnverified, counter = this.counter }: Deviations): Buffer {
    const bytes = Buffer.alloc(37);
    sha256(rpId ?? new URL(this.#origin).hostname).copy(bytes);
    bytes[32] = flags | PRESENT | (isUnverified ? 0 : VERIFIED);
    bytes.writeUInt32BE(counter, 33);
    return bytes;
  }
}
