import type { Readable } from 'node:stream';
import * as z from 'zod';
import type { UseCases } from '../../../application/base/parts.ts';
import type { Proposal } from '../../../application/jobs/confirm-change.ts';
import { RequestChange } from '../../../application/jobs/request-change.ts';
import type { Actor } from '../../../domain/access/actor.ts';
import type { Capability } from '../../../domain/access/scope.ts';
import type { ErrorCode } from '../../../domain/base/errors.ts';
import type { KeepReply } from '../../../domain/base/kept-reply.ts';
import type { Approval } from '../../../domain/jobs/approval.ts';
import { type Change, type ChangePreview, isServerChange } from '../../../domain/jobs/requested-change.ts';
import type { Example } from './examples.ts';
import { awaitingView } from './views/awaiting-view.ts';

/** The use cases of operations. */
export interface ApiUseCases extends UseCases {
  /** The service's version, for callers to see. */
  readonly version: string;
}

/** The prefix of every machine-facing route. */
export const API_PREFIX = '/api/v1';

/** The parts of the reference, in its order. */
export const GROUPS = ['Access', 'Fleet', 'Jobs', 'Schedules', 'Templates', 'Backups', 'Files'] as const;
export type Group = (typeof GROUPS)[number];

/** A route under `/api/v1`. Inputs named in braces come from the path; others from the query or the body. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Such as `/servers/{server_id}`. */
  readonly path: string;
  /** The status of success. */
  readonly status: 200 | 201 | 202;
  /** The name in documents, if it is not the operation's first one. */
  readonly named?: { readonly id: string; readonly title: string };
}

/** Whether inputs that are not in the path come in a body; else they are in the query. */
export const takesBody = ({ method }: Route): boolean => ['POST', 'PUT', 'PATCH'].includes(method);

/** A tool's annotations in the protocol. */
export interface ToolHints {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/** An operation's form as a tool. Absent fields are the operation's. */
export interface ToolForm {
  readonly hints: ToolHints;
  /** For agents, if they need other words than scripts. */
  readonly description?: string;
  readonly input?: z.ZodObject;
  readonly output?: z.ZodObject;
  /** A different operation for some inputs. */
  readonly instead?: (input: object) => JsonOperation | null;
  /** The operation's input for a call of the tool; without it they are the same. */
  readonly request?: (input: object) => object;
  /** The key under which a call may be sent again. */
  readonly key?: (input: object) => string | undefined;
  /**
   * The result depends only on the database, the caller, the input and, by this many seconds, the time: a call may be answered
   * as the last one was.
   */
  readonly repeats?: number;
  /** One call for each of several servers; `null`: a single one. */
  readonly each?: (input: object) => readonly object[] | null;
  /**
   * Turns a REST reply (its status and body) into the tool's result; `null`: it is an error. Without it a success is
   * the unchanged body and everything else an error.
   */
  readonly result?: (status: number, body: object, input: object) => object | null;
  /** The result of several calls. */
  readonly gather?: (results: readonly { readonly input: object; readonly result: object }[]) => object;
}

/**
 * `reads`: changes nothing. `asks`: jobs that it starts wait for approval, and it changes only what the token itself
 * owns or started. `changes`: the change waits for approval (202). `refused`: refused with `approval_required`.
 */
export type Effect = 'reads' | 'asks' | 'changes' | 'refused';

interface Description<I extends z.ZodObject, O extends z.ZodObject> {
  readonly name: string;
  /** Without it the operation does not exist for a caller. */
  readonly scope: Capability;
  /** What a token that needs approval can do with it. */
  readonly effect: Effect;
  readonly title: string;
  /** For agents and people: what it does, when to use it, what to do next. */
  readonly description: string;
  /** Strict: an unknown field is refused. */
  readonly input: I;
  readonly output: O;
  readonly group: Group;
  /** Refusals beyond the common ones. */
  readonly errors: readonly ErrorCode[];
  /** At least one for each route; they can be sent one after another in this order. */
  readonly examples: readonly Example<z.input<I>, z.output<O>>[];
  readonly routes: readonly Route[];
  readonly tool?: ToolForm;
}

type AnyDescription = Description<z.ZodObject, z.ZodObject>;

/** JSON in, JSON out. The only form that can be a tool. */
export interface JsonOperation extends AnyDescription {
  readonly form: 'json';
  /**
   * Runs the use case and renders its result. The input has been validated by `input`, or the tool's narrower schema.
   * `keep`: the request has a key, and a change stores its reply in the same transaction.
   */
  run(useCases: ApiUseCases, actor: Actor, input: unknown, keep?: KeepReply<object>): Promise<object>;
  /** What it would change on a server, for a user to confirm; null: nothing. */
  proposal(input: unknown): Proposal | null;
  /** The input for exactly what the user saw. */
  pinned(input: object, preview: ChangePreview): object;
}

/** A file as it is sent; its content comes as it is read. */
export interface SentFile {
  readonly name: string;
  readonly content: AsyncIterable<Uint8Array>;
  /** Aborted when the caller disconnects. */
  readonly signal: AbortSignal;
}

/** Takes a form (`multipart/form-data`): the input's fields, and then one `file`. Answers with JSON. */
export interface UploadOperation extends AnyDescription {
  readonly form: 'upload';
  receive(useCases: ApiUseCases, actor: Actor, input: unknown, file: SentFile): Promise<object>;
}

/** A file to download, with its size and hash. */
export interface GivenFile {
  readonly name: string;
  readonly size: number;
  readonly sha256: string;
  /** Fails if it cannot deliver all of that; read to its end, or destroyed. */
  readonly content: Readable;
}

/** Answers with the bytes of a file; its `output` has no members. */
export interface DownloadOperation extends AnyDescription {
  readonly form: 'download';
  give(useCases: ApiUseCases, actor: Actor, input: unknown, signal: AbortSignal): Promise<GivenFile>;
}

/** Something that the service does for machines, as data: tools, routes and documents are derived from it. */
export type Operation = JsonOperation | UploadOperation | DownloadOperation;

export function operation<I extends z.ZodObject, O extends z.ZodObject>(
  description: Description<I, O> & {
    /** The change that callers who need approval request instead. */
    readonly change?: (input: z.output<I>) => Change;
    /** For changes that are jobs. */
    readonly proposal?: (input: z.output<I>) => Proposal | null;
    /** Absent: the change checks all that matters itself. */
    readonly pinned?: (input: z.output<I>, preview: ChangePreview) => z.output<I>;
    readonly run: (
      useCases: ApiUseCases,
      actor: Actor,
      input: z.output<I>,
      keep: KeepReply<z.output<O>> | undefined,
    ) => z.output<O> | Promise<z.output<O>>;
  },
): JsonOperation {
  const { run, change, proposal, pinned, ...rest } = description;
  return {
    ...rest,
    form: 'json',
    async run(useCases, actor, given, keep) {
      const input = given as z.output<I>;
      const keepView = keep && ((approval: Approval) => keep(awaitingView(approval)));
      const waiting = change && (await useCases.get(RequestChange).execute(actor, change(input), keepView));
      return waiting ? awaitingView(waiting) : run(useCases, actor, input, keep);
    },
    proposal: (given) => {
      const input = given as z.output<I>;
      const wanted = change?.(input);
      return wanted && isServerChange(wanted) ? { change: wanted } : (proposal?.(input) ?? null);
    },
    pinned: (input, preview) => pinned?.(input as z.output<I>, preview) ?? input,
  };
}

export function uploadOperation<I extends z.ZodObject, O extends z.ZodObject>(
  description: Description<I, O> & {
    readonly receive: (
      useCases: ApiUseCases,
      actor: Actor,
      input: z.output<I>,
      file: SentFile,
    ) => Promise<z.output<O>>;
  },
): UploadOperation {
  const { receive } = description;
  return {
    ...description,
    form: 'upload',
    receive: (useCases, actor, input, file) => receive(useCases, actor, input as z.output<I>, file),
  };
}

export function downloadOperation<I extends z.ZodObject>(
  description: Omit<Description<I, z.ZodObject>, 'output'> & {
    readonly give: (
      useCases: ApiUseCases,
      actor: Actor,
      input: z.output<I>,
      signal: AbortSignal,
    ) => Promise<GivenFile>;
  },
): DownloadOperation {
  const { give } = description;
  return {
    ...description,
    form: 'download',
    output: z.strictObject({}),
    give: (useCases, actor, input, signal) => give(useCases, actor, input as z.output<I>, signal),
  };
}

/** Reads, changes nothing, and knows the fleet only. */
export const READS: ToolHints = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
