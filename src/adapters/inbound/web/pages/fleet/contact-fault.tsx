import type { DomainError, ErrorCode } from '../../../../../domain/base/errors.ts';
import type { Server } from '../../../../../domain/fleet/server.ts';
import { LocalTimes } from '../../components/time.tsx';

interface FaultText {
  readonly what: (server: Server) => string;
  readonly todo: (server: Server) => readonly string[];
}

const where = ({ address }: Server): string => `${address.hostname}:${address.sshPort}`;

/** Why a host cannot be used, and what to do about it, by the error code. */
const FAULTS: Partial<Readonly<Record<ErrorCode, FaultText>>> = {
  host_unreachable: {
    what: (server) => `Cannot connect to ${where(server)}.`,
    todo: () => [
      'Is the machine on, and is SSH running on it?',
      'Are the address and port correct?',
      'Does a firewall block the service?',
    ],
  },
  host_auth_failed: {
    what: (server) => `${where(server)} answers, but rejects the login of ${server.address.sshUsername}.`,
    todo: ({ address }) => [
      `Is the public key from the card "Key" in ~/.ssh/authorized_keys of ${address.sshUsername}, complete and on one line?`,
      'Do ~/.ssh and the file belong to that account, with modes 700 and 600?',
      ...(address.sshUsername === 'root'
        ? ['Does sshd_config allow root to sign in with a key (PermitRootLogin prohibit-password)?']
        : []),
    ],
  },
  host_key_unknown: {
    what: (server) => `The host key of ${server.name} is not confirmed yet.`,
    todo: () => ['Compare its fingerprint and confirm it.'],
  },
  host_key_mismatch: {
    what: (server) => `${where(server)} presents a different host key than the confirmed one.`,
    todo: () => [
      'Was the host reinstalled? Then compare the fingerprint of the new key, and confirm it.',
      'If not, someone may be intercepting the connection: find out before you continue.',
    ],
  },
  host_timeout: {
    what: (server) => `${where(server)} did not answer in time.`,
    todo: () => ['Is the machine under heavy load, or is the network slow? Try again later.'],
  },
  host_connection_lost: {
    what: (server) => `The connection to ${where(server)} was lost.`,
    todo: () => ['Try again. If it fails every time, check the sshd log on the host.'],
  },
  host_command_failed: {
    what: (server) => `Connected to ${server.name}, but a command failed.`,
    todo: ({ address }) =>
      address.become === 'sudo'
        ? [
            `Let ${address.sshUsername} use sudo without a password: ${address.sshUsername} ALL=(ALL) NOPASSWD: ALL in a file of /etc/sudoers.d.`,
          ]
        : ['Read the message below, fix the problem on the host, and try again.'],
  },
  host_tool_missing: {
    what: (server) => `A required program is missing on ${server.name}.`,
    todo: () => ['Install it on the host, and try again.'],
  },
  host_unsupported: {
    what: (server) => `${server.name} is not supported as configured.`,
    todo: ({ address }) => [`Give ${address.sshUsername} a login shell that runs commands, such as /bin/sh.`],
  },
  key_not_found: {
    what: (server) => `The SSH key of ${server.name} no longer exists.`,
    todo: () => ['Choose another key in the settings of the server.'],
  },
};

export const isContactFault = (error: DomainError): boolean => FAULTS[error.code] !== undefined;

/** A connection failure in plain words. */
export function ContactFault({ server, error }: { readonly server: Server; readonly error: DomainError }) {
  const fault = FAULTS[error.code];
  return (
    <section class="notice bad" role="alert">
      <p>
        <strong>{fault?.what(server) ?? <LocalTimes text={error.message} />}</strong>
      </p>
      <ul>
        {fault?.todo(server).map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      <p class="quiet">
        Details: <LocalTimes text={error.message} /> <code>{error.code}</code>
      </p>
    </section>
  );
}
