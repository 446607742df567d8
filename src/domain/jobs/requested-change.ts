import type { Requester } from '../access/requester.ts';
import type { ScheduleDescription, ScheduleEdit } from '../automation/schedule-description.ts';
import { DomainError } from '../base/errors.ts';
import type { FeatureFlags } from '../fleet/server.ts';
import type { RequestedParams } from './requested-params.ts';

/** A change, other than a job, that a token can request for approval. It says everything that the change needs. */
export interface FeatureChange {
  readonly kind: 'set_features';
  readonly serverId: number;
  readonly flags: Partial<FeatureFlags>;
}

/** As in the file tools: `p` is a directory in the file root, or the path to delete. */
export type FileChange =
  | {
      readonly kind: 'write_file';
      readonly serverId: number;
      readonly p: string;
      readonly name: string;
      readonly text: string;
      readonly ifMatch?: string | undefined;
    }
  | { readonly kind: 'mkdir'; readonly serverId: number; readonly p: string; readonly name: string }
  | {
      readonly kind: 'rename_file';
      readonly serverId: number;
      readonly p: string;
      readonly src: string;
      readonly dest: string;
    }
  | { readonly kind: 'delete_file'; readonly serverId: number; readonly p: string };

/** `cleared`: parameters that are removed, which JSON cannot say with `undefined`. */
export type ScheduleChangeRequest =
  | { readonly kind: 'add_schedule'; readonly asked: ScheduleDescription }
  | {
      readonly kind: 'edit_schedule';
      readonly scheduleId: number;
      readonly asked: ScheduleEdit;
      readonly cleared: readonly (keyof RequestedParams)[];
    }
  | { readonly kind: 'remove_schedule'; readonly scheduleId: number };

/** A change of one server. */
export type ServerChange = FeatureChange | FileChange;
export type Change = ServerChange | ScheduleChangeRequest;
export type ChangeKind = Change['kind'];

export const isServerChange = (change: Change): change is ServerChange => 'serverId' in change;

const TITLES: Readonly<Record<ChangeKind, string>> = {
  set_features: 'Switch features',
  write_file: 'Write a file',
  mkdir: 'Create a directory',
  rename_file: 'Rename a file',
  delete_file: 'Delete a file',
  add_schedule: 'Add a schedule',
  edit_schedule: 'Change a schedule',
  remove_schedule: 'Delete a schedule',
};

export const CHANGE_KINDS = Object.keys(TITLES) as readonly string[] as readonly ChangeKind[];

export const changeTitle = (kind: ChangeKind): string => TITLES[kind];

/** The title of a kind as it is stored; null: it is none. */
export function changeName(raw: string): string | null {
  const kind = CHANGE_KINDS.find((each) => each === raw);
  return kind === undefined ? null : TITLES[kind];
}

/**
 * How an approved change ended. `running` until then: a change that stays so was cut off by the end of the process, and
 * becomes `unknown`. It is never repeated.
 */
export const CHANGE_OUTCOMES = ['running', 'done', 'failed', 'unknown'] as const;
export type ChangeOutcome = (typeof CHANGE_OUTCOMES)[number];

/** The part of a request that everyone may read. Contents are kept apart from it, and only while it waits. */
export interface ChangeRequest {
  readonly kind: ChangeKind;
  /** One line, such as `backup: on → off`. */
  readonly summary: string;
  /** Digest of the state that the reviewer sees: the change is made only to that state. */
  readonly basis: string;
  /** Null before an approval. */
  readonly outcome: ChangeOutcome | null;
  readonly outcomeDetail: string | null;
}

/** What a change would do to the state as it is now. */
export interface ChangePreview {
  readonly serverId: number | null;
  /** The server's name, or what else changes. */
  readonly subject: string;
  readonly summary: string;
  /** What a reviewer has to know. */
  readonly facts: readonly ChangeFact[];
  /** The change of a text, as a unified diff; null: no text changes, or it cannot be shown. */
  readonly diff: string | null;
  /** The state that it changes, as text. The same text means the same state. */
  readonly state: string;
}

export interface ChangeFact {
  readonly name: string;
  /** Null: it did not exist, or does not change. */
  readonly before: string | null;
  readonly after: string | null;
}

/** Identical open requests of one requester are one. */
export const changeKey = (change: Change, { kind, id, name }: Requester): string =>
  JSON.stringify([kind, id, name, change]);

export const changeDrifted = (): DomainError =>
  new DomainError(
    'plan_drifted',
    'The state has changed since this was requested, so nothing was done. Decline the request; the agent can request the change again.',
  );

/** The process that made the change ended before it could record the result. */
export const OUTCOME_UNKNOWN =
  'Drover stopped while it made this change: it may or may not have been made. Check, and request it again if needed.';
