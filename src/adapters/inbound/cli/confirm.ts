import type { Command } from 'commander';
import { UsageError } from './errors.ts';
import { EXIT } from './exit-codes.ts';
import type { Session } from './session.ts';
import { terminalSafe } from './status-line.ts';

export interface YesOption {
  readonly yes?: true;
}

/** The user was asked, and declined. */
class Declined extends Error {
  readonly exitCode = EXIT.refused;
}

export const withYes = (command: Command): Command =>
  command.option('-y, --yes', 'skip the confirmation prompt');

/**
 * Proceeds only with `--yes` or the user's confirmation. Throws if there is no terminal to ask on, and if the user
 * declines.
 */
export async function confirmed(session: Session, options: YesOption, question: string): Promise<void> {
  if (options.yes) return;
  if (!session.canAsk)
    throw new UsageError('cannot ask for confirmation without a terminal; add --yes to confirm.');
  if (!(await agrees(session, question))) throw new Declined('nothing was changed.');
}

/** Asks for a plain yes; anything else is a no. */
export async function agrees(session: Session, question: string): Promise<boolean> {
  const answer = await session.io.ask(`${terminalSafe(question)} (yes/no) `);
  return /^y(es)?$/i.test(answer.trim());
}
