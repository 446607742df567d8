import ssh2 from 'ssh2';
import type { HostKey, SshAccess } from '../../../../application/ports/fleet/remote-host.ts';
import { DomainError } from '../../../../domain/base/errors.ts';
import { shellCommand } from '../../../../domain/base/shell-command.ts';
import { handshakeError, levelOf, nameOf, wordsOf } from './connect-errors.ts';
import { fingerprintOf } from './host-key.ts';

/** For an error that ssh2 reports between the TCP connection and the end of the login. */
export function loginError(access: SshAccess, error: unknown, timeoutMs: number): DomainError {
  const level = levelOf(error);
  if (level === 'client-authentication' || /authentication failures/i.test(wordsOf(error)))
    return refused(access);
  if (level === 'agent') return agentSilent(access, error);
  return handshakeError(access, error, timeoutMs);
}

/** Why a host's key does not do, or `null`. */
export function hostKeyRefusal(access: SshAccess, presented: HostKey, pinned: boolean): DomainError | null {
  if (pinned) return null;
  const shown = `${nameOf(access)} presents the host key ${presented.algorithm} ${presented.fingerprint}`;
  const compare =
    'compare it with what "for f in /etc/ssh/ssh_host_*_key.pub; do ssh-keygen -lf $f; done" prints on that machine';
  const confirm = shellCommand`drover server check ${access.serverId} --host-key ${presented.fingerprint}`;
  if (!access.hostKey) {
    const detail = `${shown}, which nobody has confirmed yet: ${compare}, then confirm it: ${confirm}`;
    return new DomainError('host_key_unknown', detail);
  }
  const detail = `${shown}, but ${access.hostKey.algorithm} ${access.hostKey.fingerprint} was confirmed: either the host was installed anew, or something sits between; nothing was sent. If you expect the change, ${compare}, then confirm the new key: ${confirm}`;
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
export const keyUnreadable = (access: SshAccess): DomainError =>
  new DomainError(
    'host_auth_failed',
    `The SSH key for user "${access.username}" on ${nameOf(access)} cannot be read: import it again, or make a new one.`,
  );

function describeKey(privateKey: string): string {
  const parsed = ssh2.utils.parseKey(privateKey);
  const key = Array.isArray(parsed) ? parsed[0] : parsed;
  return key === undefined || key instanceof Error ? '' : ` ${key.type} ${fingerprintOf(key.getPublicSSH())}`;
}
