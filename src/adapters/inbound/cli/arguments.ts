import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Instant } from '../../../domain/base/instant.ts';
import { FEATURE_FLAGS, type FeatureFlags } from '../../../domain/fleet/server.ts';
import { UsageError } from './errors.ts';

const MAX_SHOWN = 100;

/** How every command that is about a server names it. */
export const SERVER_ARGUMENT = ['<server>', "the server's id or name"] as const;

export function wholeNumber(least: number, most: number): (raw: string) => number {
  return (raw) => {
    const value = /^\d{1,16}$/.test(raw) ? Number(raw) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(`Enter a whole number from ${least} to ${most}.`);
  };
}

export function id(raw: string): number {
  const value = /^[1-9]\d{0,15}$/.test(raw) ? Number(raw) : Number.NaN;
  if (Number.isSafeInteger(value)) return value;
  throw new InvalidArgumentError('An id is a whole number from 1.');
}

/** Whether a word is an id. Throws if it is also the name of another one: which one is meant is then unknown. */
export function takesId(
  word: string,
  kind: string,
  named: { readonly id: number; readonly name: string } | null,
): boolean {
  if (!/^[1-9]\d{0,15}$/.test(word) || !Number.isSafeInteger(Number(word))) return false;
  if (named === null || named.id === Number(word)) return true;
  throw new UsageError(
    `"${word}" is an id, but also the name of ${kind} ${named.id}: use ${named.id}, or the name of ${kind} ${word}.`,
  );
}

/** For options that are given several times, or once as a comma-separated list, or both. */
export const listed = (raw: string, before: readonly string[] | undefined): readonly string[] => [
  ...(before ?? []),
  ...raw
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== ''),
];

/** For options that are given several times, and whose values may hold commas. */
export const collected = (raw: string, before: readonly string[] | undefined): readonly string[] => [
  ...(before ?? []),
  raw,
];

/** `backup=on`: a flag and its new state. */
export function featureFlag(raw: string, before: Partial<FeatureFlags> | undefined): Partial<FeatureFlags> {
  const [name, state] = raw.split('=');
  const flag = FEATURE_FLAGS.find((each) => each === name);
  if (flag === undefined || (state !== 'on' && state !== 'off')) {
    throw new InvalidArgumentError(`Use NAME=on or NAME=off; the names are ${FEATURE_FLAGS.join(', ')}.`);
  }
  return { ...before, [flag]: state === 'on' };
}

/** `backup=on,os_patch=off`, several times if need be. */
export const featureFlags = (raw: string, before: Partial<FeatureFlags> | undefined): Partial<FeatureFlags> =>
  listed(raw, undefined).reduce<Partial<FeatureFlags>>(
    (flags, each) => featureFlag(each, flags),
    before ?? {},
  );

/** A day starts in UTC. */
export function moment(raw: string): Instant {
  const at = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$/.test(raw)
    ? Date.parse(raw)
    : Number.NaN;
  if (!Number.isNaN(at)) return at;
  throw new InvalidArgumentError(
    'Enter a date (2026-11-20), or a time with its offset (2026-11-20T05:00:00Z).',
  );
}

export interface PageOptions {
  readonly limit: number;
  readonly offset: number;
}

/** `--limit` and `--offset`. */
export const withPage = (command: Command, usual: number): Command =>
  command
    .addOption(
      new Option('--limit <n>', 'maximum number of entries to show')
        .default(usual)
        .argParser(wholeNumber(1, MAX_SHOWN)),
    )
    .addOption(
      new Option('--offset <n>', 'number of entries to skip')
        .default(0)
        .argParser(wholeNumber(0, Number.MAX_SAFE_INTEGER)),
    );

/** The example lines at the end of help. */
export const withExamples = (command: Command, ...examples: readonly string[]): Command =>
  command.addHelpText('after', `\nExamples:\n${examples.map((example) => `  $ ${example}`).join('\n')}`);
