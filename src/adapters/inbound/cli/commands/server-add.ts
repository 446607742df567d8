import { type Command, Option } from 'commander';
import { ScanHostKey } from '../../../../application/fleet/confirm-host-key.ts';
import { GetServer } from '../../../../application/fleet/get-server.ts';
import { ManageKeys } from '../../../../application/fleet/manage-keys.ts';
import { RegisterServer } from '../../../../application/fleet/register-server.ts';
import { DomainError, isDomainError } from '../../../../domain/base/errors.ts';
import { shellCommand } from '../../../../domain/base/shell-command.ts';
import type { FeatureFlags, Server } from '../../../../domain/fleet/server.ts';
import type { SshKey } from '../../../../domain/fleet/ssh-key.ts';
import { featureFlags, listed, wholeNumber, withExamples } from '../arguments.ts';
import { UsageError } from '../errors.ts';
import { existingKey, keyView } from '../find-key.ts';
import { findServer } from '../find-server.ts';
import type { Runner } from '../runner.ts';
import { operatorView } from '../server-text.ts';
import type { Reply, Session } from '../session.ts';
import { terminalSafe } from '../status-line.ts';
import { confirmPresented, type TrustOptions, withTrust } from '../trust-host-key.ts';
import { checked } from './server-check.ts';

interface AddOptions extends TrustOptions {
  readonly host?: string;
  readonly local?: true;
  readonly port?: number;
  readonly user?: string;
  readonly key?: string;
  readonly newKey?: true;
  readonly agent?: true;
  readonly jump?: string;
  readonly sudo?: true;
  readonly tag?: readonly string[];
  readonly features?: Partial<FeatureFlags>;
  readonly check: boolean;
}

/** The key that servers share unless they are given another. */
const SHARED_KEY = 'drover';

const ABOUT = `
Without --key, --new-key or --agent, Drover uses the shared key "${SHARED_KEY}", which it creates if needed.
The host must accept that key: add the printed line to the account's ~/.ssh/authorized_keys.
If the host is unreachable, or its key is not confirmed, nothing is added.`;

export function addServerAddCommand(server: Command, runner: Runner): void {
  withExamples(
    withTrust(
      server
        .command('add')
        .description('add a server, confirm its host key and test the connection')
        .argument('<name>', 'name of the server')
        .option('--host <host>', 'host name or address')
        .addOption(new Option('--local', 'the machine that the service runs on').conflicts('host'))
        .option('--port <port>', 'SSH port (default: 22)', wholeNumber(1, 65_535))
        .option('--user <user>', 'account to log in to (default: root)')
        .addOption(new Option('--key <name>', 'log in with this key').conflicts(['newKey', 'agent']))
        .addOption(new Option('--new-key', 'create a key for this server only').conflicts('agent'))
        .option('--agent', 'log in with a key of the SSH agent')
        .option('--jump <server>', 'connect through this server')
        .option('--sudo', 'use sudo for commands that need root')
        .option('--tag <list>', 'comma-separated tags', listed)
        .option(
          '--features <list>',
          'comma-separated features to switch, such as backup=on,os_patch=on',
          featureFlags,
        )
        .option('--no-check', 'do not test the connection yet'),
    )
      .addHelpText('after', ABOUT)
      .action(runner.run(add)),
    'drover server add web --host 192.0.2.7 --features backup=on',
    'drover server add db --host db.internal --user deploy --sudo --jump web --new-key',
    'drover server add ci --host 192.0.2.8 --key laptop --host-key SHA256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU',
  );
}

async function add(session: Session, name: string, options: AddOptions): Promise<Reply> {
  if (options.local) return addLocal(session, name, options);
  if (options.host === undefined)
    throw new UsageError('specify the server: --host HOST, or --local for this machine.');
  const jump = options.jump === undefined ? null : await findServer(session, options.jump);
  const asked = {
    ...description(name, options),
    connection: 'ssh',
    hostname: options.host,
    jumpServerId: jump?.id ?? null,
  } as const;
  const present = await presentKey(session, name, options);
  const made = present === null && !options.agent;
  const { server, key } = await orSayNothingAdded(session, name, async () => {
    const { useCases, actor } = session;
    const presented = await useCases.get(ScanHostKey).beforeAdding(actor, asked);
    await confirmPresented(session, options.host ?? name, { presented, options });
    // Not sooner: if nothing is added, no key is left over either.
    const own = made ? await makeKey(session, options.newKey ? name : SHARED_KEY, options) : present;
    const described = { ...asked, sshKeyId: own?.id ?? null };
    return { server: await useCases.get(RegisterServer).execute(actor, described, presented), key: own };
  });
  const sentence = `Added ${name} as server ${server.id}.\n`;
  const line = key === null ? '' : authorizedKeysText(key, server);
  // A new key gives no access yet, unless a user is there to install it.
  const tryNow = options.check && (!made || session.canAsk);
  if (!tryNow)
    return reply(
      session,
      server.id,
      key,
      null,
      `${sentence}${line}Then check it with: ${shellCommand`drover server check ${server.id}`}\n`,
    );
  if (made) {
    session.note(`${sentence}${line}`);
    await session.io.ask('Press Enter when the line is in place. ');
  }
  const found = await logIn(session, server, line);
  return reply(session, server.id, key, found, made ? found.text : sentence + found.text);
}

async function addLocal(session: Session, name: string, options: AddOptions): Promise<Reply> {
  const server = await session.useCases.get(RegisterServer).execute(session.actor, {
    ...description(name, options),
    connection: 'local',
  });
  const sentence = `Added ${name} as server ${server.id}.\n`;
  if (!options.check) return reply(session, server.id, null, null, sentence);
  const found = await checked(session, server);
  return reply(session, server.id, null, found, sentence + found.text);
}

const description = (name: string, { port, user, sudo, tag, features }: AddOptions) => ({
  name,
  ...(port === undefined ? {} : { sshPort: port }),
  ...(user === undefined ? {} : { sshUsername: user }),
  become: sudo ? ('sudo' as const) : ('none' as const),
  tags: tag ?? [],
  features: features ?? {},
});

/** The key to log in with if it exists; `null`: it has yet to be created, or the agent has it. */
async function presentKey(session: Session, serverName: string, options: AddOptions): Promise<SshKey | null> {
  const manageKeys = session.useCases.get(ManageKeys);
  if (options.agent) return null;
  if (options.key !== undefined) return existingKey(session, options.key);
  if (!options.newKey) return manageKeys.findByName(SHARED_KEY);
  if ((await manageKeys.findByName(serverName)) === null) return null;
  throw new DomainError(
    'name_taken',
    `An SSH key named "${serverName}" already exists; use it with --key ${serverName}.`,
  );
}

async function makeKey(session: Session, name: string, options: AddOptions): Promise<SshKey> {
  try {
    return await session.useCases.get(ManageKeys).create(session.actor, name);
  } catch (error) {
    // Another command was faster with the shared one.
    if (isDomainError(error, 'name_taken') && !options.newKey) return existingKey(session, name);
    throw error;
  }
}

/** Nothing is in the fleet before the host key is confirmed: Ctrl-C or a closed terminal has nothing to undo. */
async function orSayNothingAdded<T>(session: Session, name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    session.io.err(`${terminalSafe(name.slice(0, 63))} was not added.\n`);
    throw error;
  }
}

async function logIn(session: Session, server: Server, line: string): ReturnType<typeof checked> {
  try {
    return await checked(session, server);
  } catch (error) {
    session.io.err(`${server.name} was added as server ${server.id}, but Drover cannot use it yet.\n`);
    if (isDomainError(error, 'host_auth_failed')) session.io.err(line);
    session.io.err(`Check it again with: ${shellCommand`drover server check ${server.id}`}\n`);
    throw error;
  }
}

const authorizedKeysText = (key: SshKey, server: Server): string =>
  `Put this line into ~/.ssh/authorized_keys of ${server.address.sshUsername} on ${server.address.hostname}:\n\n${key.publicKey}\n\n`;

async function reply(
  session: Session,
  serverId: number,
  key: SshKey | null,
  found: Awaited<ReturnType<typeof checked>> | null,
  text: string,
): Promise<Reply> {
  const server = await session.useCases.get(GetServer).execute(session.actor, serverId);
  return {
    json: {
      ...operatorView(server),
      key: key === null ? null : keyView(key),
      checked: found !== null,
      suggested_jail: found?.json.suggested_jail ?? null,
    },
    text,
  };
}
