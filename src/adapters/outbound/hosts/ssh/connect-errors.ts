import type { SshAccess } from '../../../../application/ports/fleet/remote-host.ts';
import { DomainError } from '../../../../domain/base/errors.ts';

/** Facts of an access for error messages. */
export type Target = Pick<SshAccess, 'serverName' | 'hostname' | 'port'>;

/** `"web1" (10.0.0.1:22)` */
export const nameOf = ({ serverName, hostname, port }: Target): string =>
  `"${serverName}" (${hostname.includes(':') ? `[${hostname}]` : hostname}:${port})`;

const unreachable = (detail: string, cause?: unknown): DomainError =>
  new DomainError('host_unreachable', detail, { cause });

const closedEarly = (target: Target): string =>
  `${nameOf(target)} closed the connection before the login: check the log of sshd, its MaxStartups, and bans (fail2ban).`;

const SOCKET_ERRORS: Record<string, (target: Target) => string> = {
  ENOTFOUND: ({ serverName, hostname }) =>
    `The name ${hostname} of "${serverName}" does not resolve: correct the host name, or check DNS on this machine.`,
  EAI_AGAIN: ({ serverName, hostname }) =>
    `The name ${hostname} of "${serverName}" could not be looked up: DNS on this machine does not answer.`,
  ECONNREFUSED: (target) =>
    `${nameOf(target)} refuses connections: nothing listens on port ${target.port} there; check the port and that sshd runs.`,
  ETIMEDOUT: (target) => noAnswer(target),
  EHOSTUNREACH: (target) => `There is no route to ${nameOf(target)}, or it is switched off.`,
  ENETUNREACH: (target) => `There is no route to the network of ${nameOf(target)}.`,
  ECONNRESET: (target) => closedEarly(target),
};

export const noAnswer = (target: Target, afterMs?: number): string =>
  `${nameOf(target)} does not answer${afterMs === undefined ? '' : ` within ${afterMs / 1000} s`}: it is down, or a firewall drops the packets.`;

/** For a TCP connection that could not be made, or broke before the login. */
export function socketError(target: Target, error: unknown): DomainError {
  const code = codeOf(error);
  const known = code === null ? undefined : SOCKET_ERRORS[code];
  return unreachable(
    known ? known(target) : `${nameOf(target)} cannot be reached: ${wordsOf(error)}.`,
    error,
  );
}

export const timeoutError = (target: Target, afterMs: number): DomainError =>
  unreachable(noAnswer(target, afterMs));

/** For an error that ssh2 reports between the TCP connection and the login. */
export function handshakeError(target: Target, error: unknown, timeoutMs: number): DomainError {
  const words = wordsOf(error);
  if (levelOf(error) === 'client-timeout') {
    return unreachable(`${nameOf(target)} did not finish the SSH login within ${timeoutMs / 1000} s.`, error);
  }
  if (/no matching/i.test(words)) {
    const detail = `${nameOf(target)} offers no algorithm that this service accepts (${words}): update its SSH server.`;
    return new DomainError('host_unsupported', detail, { cause: error });
  }
  if (codeOf(error) === 'ECONNRESET' || /before handshake/i.test(words)) {
    return unreachable(closedEarly(target), error);
  }
  return unreachable(`${nameOf(target)} ended the SSH handshake: ${words}.`, error);
}

/** The origin of an error in ssh2. */
export const levelOf = (error: unknown): unknown =>
  error instanceof Error && 'level' in error ? error.level : undefined;

const codeOf = (error: unknown): string | null => {
  // one failed attempt for each address of a name
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
};

/** An error's own words, without a final full stop. */
export const wordsOf = (error: unknown): string =>
  (error instanceof Error ? error.message || error.name : String(error)).replace(/\.$/, '').slice(0, 300);
