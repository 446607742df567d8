import { resolve } from 'node:path';
import type { Command } from 'commander';
import { ManageKeys } from '../../../../application/fleet/manage-keys.ts';
import { isDomainError } from '../../../../domain/base/errors.ts';
import { ago } from '../../../../domain/base/spans.ts';
import type { SshKey } from '../../../../domain/fleet/ssh-key.ts';
import { withExamples } from '../arguments.ts';
import { confirmed, withYes, type YesOption } from '../confirm.ts';
import { UsageError } from '../errors.ts';
import { existingKey, keyView } from '../find-key.ts';
import type { Runner } from '../runner.ts';
import type { Reply, Session } from '../session.ts';
import { table } from '../table.ts';

/** A 16,384-bit RSA key in PEM form has under 13 KB. */
const MAX_KEY_FILE_BYTES = 64 * 1024;

export function addKeyCommands(program: Command, runner: Runner): void {
  const key = program.command('key').description('manage the SSH keys that Drover logs in with');
  withExamples(
    key
      .command('create')
      .description('create an ed25519 key and print its public key')
      .argument('<name>', 'name of the key')
      .action(runner.run(create)),
    'drover key create web',
  );
  withExamples(
    key
      .command('import')
      .description('import a private key from a file or standard input')
      .argument('<name>', 'name of the key')
      .argument('[file]', 'the private key; - for standard input', '-')
      .addHelpText(
        'after',
        '\nDrover prompts for the passphrase, or reads it from SERVICE_KEY_PASSPHRASE. The key is encrypted before it is stored.',
      )
      .action(runner.run(importKey)),
    'drover key import laptop ~/.ssh/id_ed25519',
    'drover key import laptop < ~/.ssh/id_ed25519',
  );
  key.command('list').description('list keys').action(runner.read(list));
  withExamples(
    key
      .command('show')
      .description('print the public key as a line for authorized_keys')
      .argument('<name>', 'name of the key')
      .action(runner.run(show)),
    'drover key show web',
  );
  withExamples(
    withYes(
      key
        .command('remove')
        .description('delete a key that no server uses; remove its line from authorized_keys yourself')
        .argument('<name>', 'name of the key'),
    ).action(runner.run(remove)),
    'drover key remove laptop',
  );
}

async function create(session: Session, name: string): Promise<Reply> {
  return made(await session.useCases.get(ManageKeys).create(session.actor, name), 'Made');
}

async function importKey(session: Session, name: string, file: string): Promise<Reply> {
  const pem = await readKey(session, file);
  const manageKeys = session.useCases.get(ManageKeys);
  const given = session.settings.keyPassphrase ?? undefined;
  try {
    return made(await manageKeys.import(session.actor, name, pem, given), 'Imported');
  } catch (error) {
    // The key may be valid, and only have a passphrase: ask the user once. Not if the key itself came from standard
    // input.
    const locked = isDomainError(error, 'invalid_input') && /passphrase/i.test(error.message);
    if (!locked || given !== undefined || file === '-' || !session.canAsk) throw error;
    const passphrase = await session.io.ask('Passphrase of the key: ', { hidden: true });
    return made(await manageKeys.import(session.actor, name, pem, passphrase), 'Imported');
  }
}

async function readKey({ io, directory }: Session, file: string): Promise<string> {
  try {
    return file === '-'
      ? await io.readInput(MAX_KEY_FILE_BYTES)
      : await io.readFile(resolve(directory, file), MAX_KEY_FILE_BYTES);
  } catch (error) {
    const why =
      error instanceof RangeError ? 'it is too large for a key' : (error as NodeJS.ErrnoException).code;
    throw new UsageError(`cannot read the key from ${file === '-' ? 'standard input' : file} (${why}).`);
  }
}

async function list(session: Session): Promise<Reply> {
  const keys = await session.useCases.get(ManageKeys).list();
  const rows = keys.map((key) => [
    key.id,
    key.name,
    key.algorithm,
    key.fingerprint,
    ago(key.createdAt, session.now()),
  ]);
  return {
    json: { keys: keys.map(keyView), total: keys.length },
    text:
      rows.length === 0 ? 'There are no keys.\n' : table(['ID', 'NAME', 'TYPE', 'FINGERPRINT', 'MADE'], rows),
  };
}

async function show(session: Session, name: string): Promise<Reply> {
  const key = await existingKey(session, name);
  return { json: keyView(key), text: `${key.publicKey}\n` };
}

async function remove(session: Session, name: string, options: YesOption): Promise<Reply> {
  const key = await existingKey(session, name);
  await confirmed(session, options, `Delete the key ${name} (${key.fingerprint})? It cannot be recovered.`);
  await session.useCases.get(ManageKeys).remove(session.actor, key.id);
  return { json: { ok: true, key: keyView(key) }, text: `Deleted the key ${name}.\n` };
}

const made = (key: SshKey, verb: string): Reply => ({
  json: keyView(key),
  text: `${verb} the key ${key.name} (${key.fingerprint}). The line for authorized_keys on the hosts:\n\n${key.publicKey}\n`,
});
