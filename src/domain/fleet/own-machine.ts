import type { Actor } from '../access/actor.ts';
import { isInAnyCidr, normaliseAddress } from '../access/client-address.ts';
import { DomainError } from '../base/errors.ts';
import { JOB_TYPES, type JobType, jobNeedsControl } from '../jobs/job-types.ts';
import type { Server, ServerAddress, ServerFacts } from './server.ts';
import type { DescriptionChange } from './server-description.ts';

/**
 * What a caller does with a server. On the service's own machine some of it amounts to control of the service:
 * reading its database and master key, or replacing its program.
 */
export type ServerUse =
  | 'server.add'
  | `server.edit.${keyof DescriptionChange}`
  | 'server.remove'
  | 'source.add'
  | 'source.edit'
  | 'source.remove'
  | 'files'
  | 'snapshot.read'
  | 'snapshot.pin'
  | 'snapshot.delete'
  | 'template.change'
  | 'container.log'
  | `job.${JobType}`;

/** Most jobs read and write only what an administrator configured. */
const CONTROL_OF_JOBS = Object.fromEntries(
  JOB_TYPES.map((type) => [`job.${type}`, jobNeedsControl(type)]),
) as Readonly<Record<`job.${JobType}`, boolean>>;

/** The uses that are for those who control the service's own machine. A new use does not compile before it is decided. */
const NEEDS_CONTROL: Readonly<Record<ServerUse, boolean>> = {
  'server.add': true,
  'server.edit.name': false,
  'server.edit.tags': false,
  'server.edit.notes': false,
  'server.edit.hostname': true,
  'server.edit.sshPort': true,
  'server.edit.sshUsername': true,
  'server.edit.sshKeyId': true,
  'server.edit.jumpServerId': true,
  'server.edit.become': true,
  'server.edit.jail': true,
  'server.edit.jailDeny': true,
  'server.edit.composeDirs': true,
  // A check can run a command as root.
  'server.edit.updateChecks': true,
  'server.remove': true,
  'source.add': true,
  'source.edit': true,
  'source.remove': true,
  files: true,
  // Drover's own container writes the link of the first administrator there.
  'container.log': true,
  'snapshot.read': true,
  'snapshot.pin': false,
  'snapshot.delete': true,
  // Changes a template that is deployed there: the next deployment runs it.
  'template.change': true,
  ...CONTROL_OF_JOBS,
};

export const needsControl = (use: ServerUse): boolean => NEEDS_CONTROL[use];

const LOOPBACK_NAME = /^(.+\.)?(localhost|ip6-localhost|ip6-loopback|localhost\.localdomain)\.?$/i;
/** The unspecified address leads there, too. */
const LOOPBACK = ['127.0.0.0/8', '0.0.0.0/8', '::1/128', '::/128'];
/** Octal, hexadecimal and shortened forms of IPv4, which resolvers accept and hardly anyone writes by accident. */
const ODD_NUMBER = /^(0x[0-9a-f]*|\d+)(\.(0x[0-9a-f]*|\d+)){0,3}$/i;

/** Whether a host name is the machine's own, as far as the name itself says. */
const isLoopback = (hostname: string): boolean =>
  LOOPBACK_NAME.test(hostname) ||
  isInAnyCidr(hostname, LOOPBACK) ||
  (ODD_NUMBER.test(hostname) && normaliseAddress(hostname) === null);

/**
 * Whether an address leads to the machine that the service runs on, as far as the address itself says. A jump server makes
 * no difference: a jump through this machine is none.
 */
export const isOwnMachine = ({ connection, hostname }: OwnAddress): boolean =>
  connection === 'local' || isLoopback(hostname);

type OwnAddress = Pick<ServerAddress, 'connection' | 'hostname'>;
type KnownServer = { readonly address: OwnAddress; readonly facts?: Pick<ServerFacts, 'onOwnMachine'> };
type Machine = KnownServer & Pick<Server, 'name'> & { readonly id: number | null };

/** The same for a server, which may have been recognized by its boot id under an address that does not show it. */
export const isOwnServer = ({ address, facts }: KnownServer): boolean =>
  isOwnMachine(address) || facts?.onOwnMachine === true;

/** The caller's rights on the service's own machine. `unconfirmed`: the password has to be entered again. */
export type Control = 'held' | 'unconfirmed' | 'missing';

/** `serverId`: the machine's id in the fleet; `null` if it is not in the fleet. */
export function controlOf(actor: Actor, serverId: number | null): Control {
  // They have the database, the master key and the program before them anyway.
  if (actor.kind === 'operator') return 'held';
  if (actor.kind === 'user') {
    if (actor.role !== 'administrator') return 'missing';
    return actor.passwordConfirmed ? 'held' : 'unconfirmed';
  }
  const isNamed = serverId !== null && (actor.serverIds?.has(serverId) ?? false);
  return actor.kind === 'token' && isNamed && actor.serversGranted ? 'held' : 'missing';
}

/** What prevents the caller from this use of a server, or `null`. */
export function controlRefusal(actor: Actor, server: Machine, use: ServerUse): DomainError | null {
  if (!NEEDS_CONTROL[use] || !isOwnServer(server)) return null;
  return refusalOf(actor, server.id, server.name);
}

/** Throws `own_machine_restricted`, and `confirmation_needed` for an administrator who did not give the password lately. */
export function requireControl(actor: Actor, server: Machine, use: ServerUse): void {
  const refusal = controlRefusal(actor, server, use);
  if (refusal) throw refusal;
}

/** As `requireControl`, for actions on the service's machine that are not about a server of the fleet. */
export function requireControlOfService(actor: Actor): void {
  const refusal = refusalOf(actor, null, 'This');
  if (refusal) throw refusal;
}

/**
 * A batch or schedule may include the service's machine now or later: an administrator confirms the password at
 * creation, since no one can be asked at run time. Throws `confirmation_needed`.
 */
export function requireConfirmedForLater(actor: Actor, use: ServerUse): void {
  if (NEEDS_CONTROL[use] && controlOf(actor, null) === 'unconfirmed') throw unconfirmed();
}

function refusalOf(actor: Actor, serverId: number | null, name: string): DomainError | null {
  const control = controlOf(actor, serverId);
  if (control === 'held') return null;
  if (control === 'unconfirmed') return unconfirmed();
  const what = `${name} is the machine that Drover itself runs on, and this would give control of Drover`;
  return new DomainError(
    'own_machine_restricted',
    actor.kind === 'token'
      ? `${what}; ask an administrator to name ${serverId === null ? 'the server' : `server ${serverId}`} in the token's list of servers.`
      : `${what}; ask an administrator to do it.`,
  );
}

const unconfirmed = (): DomainError =>
  new DomainError(
    'confirmation_needed',
    'This gives control of Drover. Enter your password again to continue.',
  );
