import { DomainError } from '../../../../domain/base/errors.ts';
import { bytesOfText, display } from '../byte-string.ts';
import type { Survey } from '../source-survey.ts';
import type { TransferProgress } from '../transfer-progress.ts';
import { isWithoutParent, repositoryFault } from './restic-faults.ts';
import type { ResticEnd } from './restic-host.ts';
import { isVanished, messageOf, type ResticSummary } from './restic-messages.ts';
import { tagOf } from './restic-places.ts';
import type { ResticSession } from './restic-session.ts';

/** restic's exit codes, see its manual, "Scripting". */
const INCOMPLETE = 3;
/** The part of the work, in percent, that is over when all is stored; the rest is for the manifest. */
export const STORED = 80;
const MAX_NAMED = 5;

export interface SourceOrder {
  readonly survey: Survey;
  /** Of a repository on the host's own disk. */
  readonly repositoryPath: string | null;
  readonly args: readonly string[];
  /** The paths, each closed by a NUL. */
  readonly input: Buffer;
}

export interface StoreSettings {
  readonly session: ResticSession;
  /** Held on the host while restic runs. */
  readonly lock: string;
  readonly former: { readonly id: string | null } | null;
}

/** restic's messages: all counted, the first ones kept. */
export class Complaints {
  vanishedCount = 0;
  faultCount = 0;
  readonly #first: string[] = [];

  readonly line = (line: string): void => {
    const message = messageOf(line);
    if (message?.message_type !== 'error') return;
    if (isVanished(message)) {
      this.vanishedCount += 1;
      return;
    }
    this.faultCount += 1;
    if (this.#first.length < MAX_NAMED) this.#first.push(`"${display(bytesOfText(message.item))}"`);
  };

  get text(): string {
    const more = this.faultCount - this.#first.length;
    return [...this.#first, ...(more > 0 ? [`and ${more} more`] : [])].join(', ');
  }
}

/** Before 0.15 restic prints the first digits of the ids of snapshots. */
const printsShortIds = ({ version }: Survey): boolean => /^0\.(?:\d|1[0-4])(?:\.|$)/.test(version);

/** Runs `restic backup`. `parent`: the snapshot that it compared with. */
export async function store(
  order: SourceOrder,
  run: string,
  { session, lock, former }: StoreSettings,
  complaints: Complaints,
  progress: TransferProgress,
): Promise<{ readonly summary: ResticSummary; readonly parent: string | null }> {
  let summary: ResticSummary | null = null;
  const attempt = (parent: string | null): Promise<ResticEnd> =>
    session.runAndInit({
      args: [
        'backup',
        '--tag',
        'drover',
        '--tag',
        tagOf(run),
        ...(parent === null ? [] : [`--parent=${parent}`]),
        ...order.args,
      ],
      input: order.input,
      lock,
      onLine: (line) => {
        const message = messageOf(line);
        if (message?.message_type === 'summary') summary = message;
        if (message?.message_type !== 'status') return;
        if (printsShortIds(order.survey)) session.restic.prepareId();
        progress.bytes('Backing up', message.bytes_done ?? 0, message.total_bytes ?? 0, 0, STORED);
      },
      onComplaint: complaints.line,
    });
  let parent = former?.id ?? null;
  let end = await attempt(parent);
  if (parent !== null && isWithoutParent(end)) {
    parent = null;
    end = await attempt(parent);
  }
  if (complaints.faultCount > 0) throw unreadable(complaints);
  if (end.exitCode !== 0 && end.exitCode !== INCOMPLETE) throw repositoryFault(session.restic.opened, end);
  if (summary === null) throw new DomainError('backup_failed', 'restic ended without a result.');
  return { summary, parent };
}

const unreadable = (complaints: Complaints): DomainError =>
  new DomainError(
    'backup_failed',
    `Some files could not be backed up, so no snapshot was created: ${complaints.text}. Let Drover log in as root or use sudo, or exclude these files.`,
  );
