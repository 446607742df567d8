import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';

/** The files of a certificate and its private key. */
export interface KeyPairFiles {
  readonly certPath: string;
  readonly keyPath: string;
}

/** A certificate with those above it, and its private key, both as PEM, and known to belong together. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
  readonly endsAt: Date;
}

/** The pair cannot be used: which of the two files, and why. Holds nothing of their contents. */
export class BadKeyPair extends Error {
  readonly file: keyof KeyPairFiles;

  constructor(file: keyof KeyPairFiles, message: string) {
    super(message);
    this.file = file;
  }
}

/** The files' contents. Throws `BadKeyPair`. */
export async function readKeyPair({ certPath, keyPath }: KeyPairFiles): Promise<[string, string]> {
  return [await textOf('certPath', certPath), await textOf('keyPath', keyPath)];
}

/** Throws `BadKeyPair` if they are not a valid pair for a TLS server. */
export function checkKeyPair(files: KeyPairFiles, cert: string, key: string): KeyPair {
  const certificate = certificateOf(files, cert);
  if (!certificate.checkPrivateKey(privateKeyOf(files, key))) {
    throw new BadKeyPair(
      'keyPath',
      `the key in ${files.keyPath} does not belong to the certificate in ${files.certPath}`,
    );
  }
  try {
    // What OpenSSL itself rejects, such as a key that is too short, should fail now rather than for every client.
    createSecureContext({ cert, key });
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new BadKeyPair(
      'certPath',
      `the certificate in ${files.certPath} cannot be used (${code ?? 'refused by OpenSSL'})`,
    );
  }
  return { cert, key, endsAt: new Date(certificate.validTo) };
}

/** Reads and checks in one. Throws `BadKeyPair`. */
export async function loadKeyPair(files: KeyPairFiles): Promise<KeyPair> {
  return checkKeyPair(files, ...(await readKeyPair(files)));
}

async function textOf(file: keyof KeyPairFiles, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new BadKeyPair(file, `the file ${path} cannot be read (${code})`);
  }
}

function certificateOf({ certPath }: KeyPairFiles, cert: string): X509Certificate {
  try {
    return new X509Certificate(cert);
  } catch {
    throw new BadKeyPair('certPath', `the file ${certPath} does not start with a PEM certificate`);
  }
}

function privateKeyOf({ keyPath }: KeyPairFiles, key: string): KeyObject {
  if (/^-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: 4,ENCRYPTED/m.test(key)) {
    throw new BadKeyPair(
      'keyPath',
      `the key in ${keyPath} has a passphrase, which cannot be entered at start`,
    );
  }
  try {
    return createPrivateKey(key);
  } catch {
    throw new BadKeyPair('keyPath', `the file ${keyPath} contains no PEM private key`);
  }
}
