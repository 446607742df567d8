import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import type { Duplex } from 'node:stream';
// CommonJS: Node finds no named exports in it
import ssh2, { type Client, type ConnectConfig } from 'ssh2';
import type { HostKey, SshAccess } from '../../../../application/ports/fleet/remote-host.ts';
import { DomainError } from '../../../../domain/base/errors.ts';
import { shellCommand } from '../../../../domain/base/shell-command.ts';
import { whenAborted } from '../shell/when-aborted.ts';
import {
  handshakeError,
  levelOf,
  nameOf,
  socketError,
  type Target,
  timeoutError,
  wordsOf,
} from './connect-errors.ts';
import { fingerprintOf, hostKeyAlgorithms, hostKeyOf, isPinned } from './host-key.ts';
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
      // stays: an error event without a listener would end the process
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

/** For an error that ssh2 reports between the TCP connection and the end of the login. */
function loginError(access: SshAccess, error: unknown, timeoutMs: number): DomainError {
  const level = levelOf(error);
  if (level === 'client-authentication' || /authentication failures/i.test(wordsOf(error)))
    return refused(access);
  if (level === 'agent') return agentSilent(access, error);
  return handshakeError(access, error, timeoutMs);
}

/** Why a host's key is not accepted, or `null`. */
function hostKeyRefusal(access: SshAccess, presented: HostKey, pinned: boolean): DomainError | null {
  if (pinned) return null;
  const shown = `${nameOf(access)} presents the host key ${presented.algorithm} ${presented.fingerprint}`;
  const compare =
    'compare it with what "for f in /etc/ssh/ssh_host_*_key.pub; do ssh-keygen -lf $f; done" prints on that machine';
  const confirm = shellCommand`drover server check ${access.serverId} --host-key ${presented.fingerprint}`;
  if (!access.hostKey) {
    const detail = `${shown}, which is not confirmed yet: ${compare}, then confirm it: ${confirm}`;
    return new DomainError('host_key_unknown', detail);
  }
  const detail = `${shown}, but ${access.hostKey.algorithm} ${access.hostKey.fingerprint} was confirmed: either the host was reinstalled, or the connection is intercepted; nothing was sent. If you expect the change, ${compare}, then confirm the new key: ${confirm}`;
  return new DomainError('host_key_mismatch', detail);
}

function agentSilent({ authentication, ...access }: SshAccess, error: unknown): DomainError {
  const socket = authentication.kind === 'agent' ? authentication.socket : '';
  const detail = `The SSH agent at ${socket} does not answer, so user "${access.username}" cannot log in to ${nameOf(access)}: start it, or give the server a key.`;
  return new DomainError('host_auth_failed', detail, { cause: error });
}

function refused({ authentication, username, ...access }: SshAccess): DomainError {
  const where = `~${username}/.ssh/authorized_keys on ${nameOf(access)}`;
  const detail =
    authentication.kind === 'agent'
      ? `None of the keys of the SSH agent at ${authentication.socket} may log in as "${username}": add one to ${where}.`
      : `User "${username}" may not log in with the key${describeKey(authentication.privateKey)}: add its public half to ${where}, and check that the user exists and may log in.`;
  return new DomainError('host_auth_failed', detail);
}

/** For a private key that ssh2 cannot read. Its words are not repeated: they might quote the key. */
const keyUnreadable = (access: SshAccess): DomainError =>
  new DomainError(
    'host_auth_failed',
    `The SSH key for user "${access.username}" on ${nameOf(access)} cannot be read: import it again, or create a new one.`,
  );

function describeKey(privateKey: string): string {
  const parsed = ssh2.utils.parseKey(privateKey);
  const key = Array.isArray(parsed) ? parsed[0] : parsed;
  return key === undefined || key instanceof Error ? '' : ` ${key.type} ${fingerprintOf(key.getPublicSSH())}`;
}
