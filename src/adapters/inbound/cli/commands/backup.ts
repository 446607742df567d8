import { resolve } from 'node:path';
import type { Command } from 'commander';
import { formatBytes } from '../../../../domain/base/format-bytes.ts';
import { count } from '../../../../domain/base/spans.ts';
import { collected, withExamples } from '../arguments.ts';
import type { CliContext } from '../context.ts';
import { UsageError } from '../errors.ts';
import type { Runner } from '../runner.ts';
import type { BackupFacts, BackupKey, BackupLock, ServiceBackups } from '../service-backups.ts';
import type { Reply } from '../session.ts';

const MAX_KEY_FILE_BYTES = 64 * 1024;
const MIN_PASSPHRASE_LENGTH = 12;

const NOT_IN_IT =
  "Not included: snapshot files (the directories backups and manifests of the data directory) and the service's environment variables.";

interface CreateOptions {
  readonly recipient?: readonly string[];
}
interface OpenOptions {
  readonly identity?: string;
}
interface RestoreOptions extends OpenOptions {
  readonly replace?: true;
  readonly keepWaiting?: true;
}

export function addBackupCommands(program: Command, runner: Runner): void {
  const backup = program
    .command('backup')
    .description('back up Drover itself: its database and master key, in one encrypted file');
  withExamples(
    backup
      .command('create')
      .description('back up Drover itself while it runs, encrypted with a passphrase or age public keys')
      .argument('<file>', 'file to create; an existing file is never replaced')
      .option('--recipient <key>', 'age public key that can open it; repeatable', collected)
      .addHelpText(
        'after',
        `\n${NOT_IN_IT}\nThe file is one of age (age-encryption.org). ${FROM_ENVIRONMENT}`,
      )
      .action(runner.bare(create)),
    'drover backup create drover-2026-11-20.age',
    'drover backup create drover.age --recipient age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p',
  );
  withExamples(
    withIdentity(
      backup
        .command('verify')
        .description('decrypt a backup and check all of it; changes nothing')
        .argument('<file>', 'the backup'),
    ).action(runner.bare(verify)),
    'drover backup verify drover-2026-11-20.age',
  );
  withExamples(
    withIdentity(
      backup
        .command('restore')
        .description('restore a backup into the configured database, SQLite or MySQL; stop the service first')
        .argument('<file>', 'the backup'),
    )
      .option('--replace', 'replace the data in the database; otherwise the database must be empty')
      .option(
        '--keep-waiting',
        'keep jobs that were pending or running when the backup was created; otherwise they are ended',
      )
      .addHelpText(
        'after',
        `\n${NOT_IN_IT}\nDo not run the original service alongside the restored one. ${FROM_ENVIRONMENT}`,
      )
      .action(runner.bare(restore)),
    'drover backup restore drover-2026-11-20.age',
    'SERVICE_DATABASE_URL_FILE=/etc/drover/database drover backup restore drover.age --identity key.txt --keep-waiting',
  );
  withExamples(
    backup
      .command('keygen')
      .description('create a key pair: writes the private key to a new file, and prints the public key')
      .argument('<file>', 'file to create; keep it off the machine that Drover runs on')
      .action(runner.bare(keygen)),
    'drover backup keygen key.txt',
  );
}

const FROM_ENVIRONMENT =
  'Drover prompts for the passphrase, or reads it from SERVICE_BACKUP_PASSPHRASE or the file at SERVICE_BACKUP_PASSPHRASE_FILE.';

const withIdentity = (command: Command): Command =>
  command.option(
    '--identity <file>',
    'file with the private key, if the backup was encrypted for a public key',
  );

async function create(context: CliContext, file: string, options: CreateOptions): Promise<Reply> {
  const backups = await context.backups();
  const lock: BackupLock = options.recipient
    ? { kind: 'recipients', recipients: options.recipient }
    : { kind: 'passphrase', passphrase: backups.passphrase ?? (await newPassphrase(context)) };
  const facts = await backups.create(resolve(context.directory, file), lock);
  return replyOf(
    facts,
    `Wrote ${facts.file} (${formatBytes(facts.bytes)}): ${contents(facts)}.\n${NOT_IN_IT}\n`,
  );
}

async function verify(context: CliContext, file: string, options: OpenOptions): Promise<Reply> {
  const backups = await context.backups();
  const facts = await backups.verify(
    resolve(context.directory, file),
    await keyFor(context, backups, options),
  );
  return replyOf(facts, `${facts.file} is valid: ${contents(facts)}, created ${facts.createdAt}.\n`);
}

async function restore(context: CliContext, file: string, options: RestoreOptions): Promise<Reply> {
  const backups = await context.backups();
  const key = await keyFor(context, backups, options);
  const facts = await backups.restore(resolve(context.directory, file), key, {
    replace: options.replace ?? false,
    keepWaiting: options.keepWaiting ?? false,
  });
  return replyOf(
    facts,
    `Restored ${contents(facts)}, as of ${facts.createdAt}.\n${NOT_IN_IT} Restore those, then start the service.\n`,
  );
}

async function keygen(context: CliContext, file: string): Promise<Reply> {
  const backups = await context.backups();
  const path = resolve(context.directory, file);
  const { identity, recipient } = await backups.makeKeyPair();
  await backups.writeKeyFile(path, `# public key: ${recipient}\n${identity}\n`);
  return {
    json: { file: path, recipient },
    text: `The private key is in ${path}: keep it apart from the service and its backups.\nThe public key:\n\n${recipient}\n`,
  };
}

async function keyFor(
  context: CliContext,
  backups: ServiceBackups,
  { identity }: OpenOptions,
): Promise<BackupKey> {
  if (identity !== undefined) {
    const text = await context.io
      .readFile(resolve(context.directory, identity), MAX_KEY_FILE_BYTES)
      .catch((error: unknown) => {
        throw new UsageError(
          `cannot read the key from ${identity} (${(error as NodeJS.ErrnoException).code ?? 'too large'}).`,
        );
      });
    return { kind: 'identities', identities: backups.identitiesIn(text) };
  }
  return {
    kind: 'passphrase',
    passphrase: backups.passphrase ?? (await asked(context, 'Passphrase of the backup: ')),
  };
}

/** A typing error would only show when it is too late. */
async function newPassphrase(context: CliContext): Promise<string> {
  const passphrase = await asked(context, `Passphrase (at least ${MIN_PASSPHRASE_LENGTH} characters): `);
  if (passphrase.length < MIN_PASSPHRASE_LENGTH)
    throw new UsageError(`a passphrase has at least ${MIN_PASSPHRASE_LENGTH} characters.`);
  if ((await asked(context, 'Repeat the passphrase: ')) !== passphrase)
    throw new UsageError('the passphrases differ; nothing was written.');
  return passphrase;
}

function asked({ io }: CliContext, question: string): Promise<string> {
  if (io.interactive) return io.ask(question, { hidden: true });
  throw new UsageError(
    'cannot prompt for the passphrase without a terminal; set SERVICE_BACKUP_PASSPHRASE_FILE, or use a key (--recipient, --identity).',
  );
}

const contents = ({ rows, tables, service }: BackupFacts): string =>
  `${count(rows, 'row')} of ${count(tables, 'table')}, by version ${service}`;

const replyOf = (facts: BackupFacts, text: string): Reply => ({
  json: {
    file: facts.file,
    bytes: facts.bytes,
    created_at: facts.createdAt,
    service_version: facts.service,
    engine: facts.engine,
    tables: facts.tables,
    rows: facts.rows,
  },
  text,
});
