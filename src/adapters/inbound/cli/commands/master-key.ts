import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { KeyRing } from '../../../../application/ports/service/key-ring.ts';
import { ManageMasterKeys } from '../../../../application/service/manage-master-keys.ts';
import type { MasterKeyUse } from '../../../../domain/access/master-key-use.ts';
import { count } from '../../../../domain/base/spans.ts';
import { withExamples } from '../arguments.ts';
import { EXIT } from '../exit-codes.ts';
import type { Runner } from '../runner.ts';
import type { Reply, Session } from '../session.ts';
import { table } from '../table.ts';

interface FileOption {
  readonly file?: string;
}

export function addMasterKeyCommands(program: Command, runner: Runner): void {
  const masterKey = program
    .command('master-key')
    .description('show and rotate the master key, which encrypts all secrets in the database');
  withExamples(
    masterKey
      .command('status')
      .description(
        'list the keys by id, with the number of secrets that each encrypts; exits with 1 if a key is missing',
      )
      .action(runner.run(status)),
    'drover master-key status',
  );
  withExamples(
    withFile(
      masterKey
        .command('create')
        .description('add a new key at the start of the key file; the key is not shown'),
    ).action(runner.run(create)),
    'drover master-key create',
    'drover master-key create --file /etc/drover/master-key',
  );
  withExamples(
    masterKey
      .command('rotate')
      .description(
        'encrypt every secret with the first key, while the service runs; can be interrupted and run again',
      )
      .action(runner.run(rotate)),
    'drover master-key rotate',
  );
  withExamples(
    withFile(masterKey.command('retire').description('remove unused keys from the key file')).action(
      runner.run(retire),
    ),
    'drover master-key retire',
  );
}

const withFile = (command: Command): Command =>
  command.option(
    '--file <file>',
    'the key file, if SERVICE_MASTER_KEY_FILE names one; else master.key in the data directory',
  );

async function status(session: Session): Promise<Reply> {
  const keys = await session.useCases.get(ManageMasterKeys).status(session.actor);
  const missing = keys.some(({ state }) => state === 'unknown');
  return {
    json: { keys, total: keys.length },
    text: `${table(['KEY', 'STATE', 'SECRETS'], keys.map(row))}${advice(keys)}`,
    ...(missing ? { exitCode: EXIT.failed } : {}),
  };
}

const row = ({ id, state, secrets }: MasterKeyUse): readonly (string | number)[] => [id, state, secrets];

function advice(keys: readonly MasterKeyUse[]): string {
  if (keys.some(({ state }) => state === 'unknown'))
    return '\nSecrets encrypted with an unknown key cannot be read. Add your backup of that key after the others.\n';
  const old = keys.filter(({ state }) => state === 'old');
  if (old.some(({ secrets }) => secrets > 0)) return '\nNext: drover master-key rotate\n';
  return old.length > 0 ? '\nNext: drover master-key retire\n' : '';
}

async function create(session: Session, options: FileOption): Promise<Reply> {
  const id = await session.useCases.get(ManageMasterKeys).create(session.actor, ringOf(session, options));
  const restart = options.file === undefined ? '' : 'Restart each service that reads this file, then run';
  return {
    json: { id },
    text: `Added the key ${id}. Back up the key file now: a backup of the old file cannot read new secrets.\n${restart || 'Next'}: drover master-key rotate\n`,
  };
}

async function rotate(session: Session): Promise<Reply> {
  const result = await session.useCases.get(ManageMasterKeys).rotate(session.actor, {
    signal: session.signal,
    onPage: (done) => session.note(`${count(done, 'secret')} encrypted`),
  });
  const { keyId, rotated, unreadable } = result;
  const left =
    unreadable === 0
      ? 'Next: drover master-key retire'
      : `${count(unreadable, 'secret')} cannot be read by any known key; see: drover master-key status`;
  return {
    json: { key_id: keyId, rotated, unreadable },
    text: `Encrypted ${count(rotated, 'secret')} with the key ${keyId}. ${left}\n`,
    ...(unreadable > 0 ? { exitCode: EXIT.failed } : {}),
  };
}

async function retire(session: Session, options: FileOption): Promise<Reply> {
  const removed = await session.useCases
    .get(ManageMasterKeys)
    .retire(session.actor, ringOf(session, options));
  return {
    json: { removed },
    text:
      removed.length === 0
        ? 'There is no old key.\n'
        : `Removed ${removed.join(', ')}. Keep a copy for as long as you keep older service backups that do not contain their key.\n`,
  };
}

const ringOf = (session: Session, { file }: FileOption): KeyRing =>
  session.keyRing(file === undefined ? null : resolve(session.directory, file));
