import { type Command, InvalidArgumentError, Option } from 'commander';
import { ListAudit } from '../../../../application/events/list-audit.ts';
import { RecordReads } from '../../../../application/events/record-reads.ts';
import {
  type AuditVerdict,
  type NotedHead,
  VerifyAudit,
} from '../../../../application/events/verify-audit.ts';
import { InvalidInput } from '../../../../domain/base/errors.ts';
import { type Instant, toIso } from '../../../../domain/base/instant.ts';
import { ago } from '../../../../domain/base/spans.ts';
import type { AuditFilter } from '../../../../domain/events/audit-entry.ts';
import { EXPORT_FORMATS, type ExportFormat, exported } from '../../api/audit-export.ts';
import { auditView } from '../../api/views/audit-view.ts';
import { pageView } from '../../api/views/page-view.ts';
import { id, moment, type PageOptions, withExamples, withPage } from '../arguments.ts';
import { EXIT } from '../exit-codes.ts';
import { localTime } from '../local-time.ts';
import type { Runner } from '../runner.ts';
import type { Reply, Session } from '../session.ts';
import { terminalSafe } from '../status-line.ts';
import { table } from '../table.ts';
import { pageText } from '../words.ts';

interface FilterOptions {
  readonly actor?: string;
  readonly action?: string;
  readonly serverId?: number;
  readonly outcome?: 'done' | 'refused';
  readonly from?: Instant;
  readonly until?: Instant;
}

interface ExportOptions extends FilterOptions {
  readonly format: ExportFormat;
}

export function addAuditCommands(program: Command, runner: Runner): void {
  const audit = program.command('audit').description('show, export and verify the audit log');
  withExamples(
    withPage(withFilter(audit.command('list').description('list entries, newest first')), 50).action(
      runner.read(list),
    ),
    'drover audit list --action job --server-id 3',
    'drover audit list --actor mcp-laptop --outcome refused --from 2026-11-01',
  );
  withExamples(
    withFilter(
      audit
        .command('export')
        .description('print entries, oldest first, as lines of JSON or as CSV')
        .addOption(new Option('--format <format>', 'how').choices(EXPORT_FORMATS).default('jsonl')),
    ).action(runner.run(exportAll)),
    'drover audit export --format csv --from 2026-11-01 > november.csv',
  );
  withExamples(
    audit
      .command('verify')
      .description('verify every entry; exits with 1 if one was changed, removed, added or moved')
      .option(
        '--head <seq:mac>',
        'a previously recorded chain head that the log must still contain',
        notedHead,
      )
      .action(runner.run(verify)),
    'drover audit verify',
  );
  withExamples(
    audit
      .command('reads')
      .description('show or set whether the log records who read what of a server')
      .argument('[state]', 'on or off')
      .action(runner.run(reads)),
    'drover audit reads on',
    'drover audit list --action read --server-id 3',
  );
}

const withFilter = (command: Command): Command =>
  command
    .option('--actor <name>', 'only by this token, user or part of Drover')
    .option('--action <action>', 'only this action or group of actions, such as job.request or job')
    .option('--server-id <id>', 'only entries about this server', id)
    .addOption(new Option('--outcome <outcome>', 'only with this outcome').choices(['done', 'refused']))
    .option('--from <time>', 'from this day or time on', moment)
    .option('--until <time>', 'before this day or time', moment);

function notedHead(raw: string): NotedHead {
  const [, seq, mac = ''] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(raw) ?? [];
  if (seq !== undefined) return { seq: Number(seq), mac };
  throw new InvalidArgumentError(
    'Enter it as `drover audit verify` prints it: a number, a colon, 64 digits.',
  );
}

const filterOf = ({ actor, action, serverId, outcome, from, until }: FilterOptions): AuditFilter => ({
  ...(actor === undefined ? {} : { actorName: actor }),
  ...(action === undefined ? {} : { action }),
  ...(serverId === undefined ? {} : { serverId }),
  ...(outcome === undefined ? {} : { outcome }),
  ...(from === undefined ? {} : { from }),
  ...(until === undefined ? {} : { until }),
});

const HEADING = ['ID', 'WHEN', 'WHO', 'FROM', 'DID', 'TO', 'OUTCOME'];

async function list(
  session: Session,
  { limit, offset, ...filter }: FilterOptions & PageOptions,
): Promise<Reply> {
  const page = await session.useCases
    .get(ListAudit)
    .execute(session.actor, filterOf(filter), { limit, offset });
  const rows = page.items.map((entry) => [
    entry.id,
    ago(entry.at, session.now()),
    `${entry.actorKind}:${entry.actorName}`,
    entry.address,
    entry.action,
    entry.object,
    entry.outcome,
  ]);
  return {
    json: { entries: page.items.map(auditView), ...pageView(page) },
    text: pageText(page, 'No entries found.\n', table(HEADING, rows)),
  };
}

/** Written as a stream: one value of all of it, as --json requires, would have to be held whole. */
async function exportAll(session: Session, { format, ...filter }: ExportOptions): Promise<Reply> {
  if (session.json) {
    const message = 'An export is not one JSON value; omit --json, or use drover audit list.';
    throw new InvalidInput([{ path: '--json', message }]);
  }
  const entries = await session.useCases.get(ListAudit).export(session.actor, filterOf(filter));
  let pending = '';
  for await (const line of exported(entries, format)) {
    pending += terminalSafe(line);
    if (pending.length < CHUNK) continue;
    session.io.out(pending);
    pending = '';
  }
  session.io.out(pending);
  return { json: null, text: '' };
}

const CHUNK = 64 * 1024;

async function verify(session: Session, { head: noted }: { readonly head?: NotedHead }): Promise<Reply> {
  const { signal } = session;
  const verdict = await session.useCases.get(VerifyAudit).execute(session.actor, { noted, signal });
  const { fault, checked, unsealed, pruned, head } = verdict;
  return {
    json: {
      ok: fault === null,
      checked,
      unsealed,
      pruned,
      head: head && `${head.seq}:${head.mac}`,
      began_at: head && toIso(head.beganAt),
      fault,
    },
    text: verdictText(verdict),
    exitCode: fault === null ? EXIT.done : EXIT.failed,
  };
}

async function reads({ useCases, actor }: Session, state: string | undefined): Promise<Reply> {
  const recordReads = useCases.get(RecordReads);
  if (state !== undefined && state !== 'on' && state !== 'off')
    throw new InvalidInput([{ path: '/state', message: 'Use on or off.' }]);
  if (state !== undefined) await recordReads.set(actor, state === 'on');
  const on = await recordReads.get(actor);
  const text = on
    ? 'Reads are recorded: every replica does so within 5 s.\n'
    : 'Reads are not recorded, except downloads of files and snapshots.\n';
  return { json: { reads: on }, text };
}

function verdictText({ fault, checked, unsealed, pruned, head }: AuditVerdict): string {
  if (fault !== null)
    return `The audit log was CHANGED. ${fault.detail}\nEntries verified before that: ${checked}.\n`;
  if (head === null) return `The chain is empty. Entries to add once the service runs: ${unsealed}.\n`;
  const since = `The chain started at ${localTime(head.beganAt)}${pruned > 0 ? `; its first ${pruned} entries were deleted` : ''}.`;
  const waiting = unsealed > 0 ? ` Signed and not in the chain yet: ${unsealed}.` : '';
  return `All ${checked} entries are unchanged and in order.${waiting}\n${since}\nNote this elsewhere, and check it next time with --head: ${head.seq}:${head.mac}\n`;
}
