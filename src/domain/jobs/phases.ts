import type { Instant } from '../base/instant.ts';
import { oneLine } from '../base/one-line.ts';

export const AMOUNT_UNITS = ['bytes', 'packages', 'images', 'snapshots'] as const;

/** How much of a known total is done. */
export interface Amount {
  readonly done: number;
  readonly total: number;
  readonly unit: (typeof AMOUNT_UNITS)[number];
}

export interface StepDetail {
  /** The step's name, if the words about it vary while it lasts. */
  readonly phase?: string;
  readonly amount?: Amount;
}

/** Reports the current step, and 0 to 100 if known. */
export type ReportStep = (current: string, percent: number | null, detail?: StepDetail) => void;

/** Reads a program's output line by line; returns a step that a line starts or advances. */
export type StepReader = (line: string) => { readonly name: string; readonly amount?: Amount } | null;

/** A step of a job. It lasts until the next one starts, or the job ends. */
export interface JobPhase {
  readonly name: string;
  readonly startedAt: Instant;
  readonly amount: Amount | null;
}

/** Of more phases the earliest are dropped. */
export const MAX_PHASES = 30;
const MAX_NAME = 80;

/** Starts the phase of this name, or updates it if it is the current one. */
export function withPhase(
  phases: readonly JobPhase[],
  { name, amount }: Pick<JobPhase, 'name' | 'amount'>,
  at: Instant,
): readonly JobPhase[] {
  const short = oneLine(name, MAX_NAME);
  const last = phases.at(-1);
  if (last?.name === short) return [...phases.slice(0, -1), { ...last, amount: amount ?? last.amount }];
  return [...phases, { name: short, startedAt: at, amount }].slice(-MAX_PHASES);
}
