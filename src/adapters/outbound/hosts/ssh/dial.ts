import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import type { Duplex } from 'node:stream';
// CommonJS: Node finds no named exports in it
import ssh2, { type Client, type ConnectConfig } from 'ssh2';
import type { HostKey, SshAccess } from '../../../../application/ports/fleet/remote-host.ts';
import type { DomainError } from '../../../../domain/base/errors.ts';
import { whenAborted } from '../shell/when-aborted.ts';
import { handshakeError, socketError, type Target, timeoutError } from './connect-errors.ts';
import { hostKeyAlgorithms, hostKeyOf, isPinned } from './host-key.ts';
import { hostKeyRefusal, keyUnreadable, loginError } from './login-errors.ts';
import type { SshOptions } from './ssh-options.ts';

/** How long one address of a name gets before the next is tried beside it. */
const NEXT_ADDRESS_MS = 2_000;

/** Throws `host_unreachable`, or the signal's reason. */
export async function openTcp(target: Target, options: SshOptions, signal: AbortSignal): Promise<Duplex> {
  signal.throwIfAborted();
  const socket = connectTcp({
    host: target.hostname,
    port: target.port,
    // SSH sends many small packets that must not wait for each other
    noDelay: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
  });
  const givingUp = new AbortController();
  const forget = whenAborted(signal, () => givingUp.abort());
  const timer = setTimeout(() => givingUp.abort(), options.connectTimeoutMs);
  try {
    await once(socket, 'connect', { signal: givingUp.signal });
  } catch (error) {
    socket.on('error', () => undefined).destroy();
    signal.throwIfAborted();
    throw givingUp.signal.aborted
      ? timeoutError(target, options.connectTimeoutMs)
      : socketError(target, error);
  } finally {
    clearTimeout(timer);
    forget();
  }
  return socket;
}

/** Throws `host_auth_failed` for a key that would fail only once the host has been connected to. */
export function assertKeyReadable(access: SshAccess): void {
  const { authentication } = access;
  if (authentication.kind === 'agent') return;
  if (ssh2.utils.parseKey(authentication.privateKey) instanceof Error) throw keyUnreadable(access);
}

/** Logs in over an open socket, which is destroyed if that fails. Nothing is sent to a host whose key is not the pinned one. */
export async function logIn(
  access: SshAccess,
  socket: Duplex,
  options: SshOptions,
  signal: AbortSignal,
): Promise<Client> {
  let refusal: DomainError | null = null;
  const verify = (blob: Buffer): boolean => {
    const pinned = access.hostKey !== null && isPinned(blob, access.hostKey);
    refusal = hostKeyRefusal(access, hostKeyOf(blob), pinned);
    return refusal === null;
  };
  const { authentication, username } = access;
  const credentials: ConnectConfig =
    authentication.kind === 'agent'
      ? { agent: authentication.socket, authHandler: ['agent'] }
      : { privateKey: authentication.privateKey, authHandler: ['publickey'] };
  try {
    const config = { ...transport(access.hostKey, options, verify), ...credentials, username };
    return await handshake(socket, config, signal);
  } catch (error) {
    signal.throwIfAborted();
    throw refusal ?? loginError(access, error, options.handshakeTimeoutMs);
  }
}

/** The key that a host presents. The handshake ends there, before any login. */
export async function readHostKey(
  target: Target,
  socket: Duplex,
  options: SshOptions,
  signal: AbortSignal,
): Promise<HostKey> {
  const found: HostKey[] = [];
  const verify = (blob: Buffer): boolean => {
    found.push(hostKeyOf(blob));
    return false;
  };
  try {
    const client = await handshake(
      socket,
      { ...transport(null, options, verify), username: 'drover', authHandler: [] },
      signal,
    );
    client.end();
  } catch (error) {
    if (found[0]) return found[0];
    signal.throwIfAborted();
    throw handshakeError(target, error, options.handshakeTimeoutMs);
  }
  throw new TypeError('the handshake went on past the host key');
}

const transport = (
  pinned: HostKey | null,
  options: SshOptions,
  hostVerifier: (blob: Buffer) => boolean,
): ConnectConfig => ({
  // without a verifier ssh2 accepts any key
  hostVerifier,
  readyTimeout: options.handshakeTimeoutMs,
  keepaliveInterval: options.keepaliveIntervalMs,
  keepaliveCountMax: options.keepaliveCount,
  ident: 'drover',
  algorithms: {
    serverHostKey: hostKeyAlgorithms(pinned),
    // AES-GCM first: with ssh2's compiled ciphers it is several times faster than all others
    cipher: [
      'aes128-gcm@openssh.com',
      'aes256-gcm@openssh.com',
      'chacha20-poly1305@openssh.com',
      'aes256-ctr',
      'aes192-ctr',
      'aes128-ctr',
    ],
    hmac: [
      'hmac-sha2-256-etm@openssh.com',
      'hmac-sha2-512-etm@openssh.com',
      'hmac-sha2-256',
      'hmac-sha2-512',
    ],
    compress: ['none'],
  },
});

async function handshake(socket: Duplex, config: ConnectConfig, signal: AbortSignal): Promise<Client> {
  const client = new ssh2.Client();
  let forget = (): void => undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      forget = whenAborted(signal, () => reject(new Error('given up')));
      // stays for good: an error that nobody listens to would end the process
      client.on('error', reject);
      client.once('close', () => reject(new Error('the connection was closed')));
      client.once('ready', resolve);
      client.connect({ ...config, sock: socket });
    });
    return client;
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    forget();
  }
}
