import { z } from 'zod';

/** The parts of restic's `--json` output that Drover needs; see its manual, "Scripting". */
const Status = z.object({
  message_type: z.literal('status'),
  percent_done: z.number().optional(),
  bytes_done: z.number().optional(),
  total_bytes: z.number().optional(),
});
const Summary = z.object({
  message_type: z.literal('summary'),
  files_new: z.number(),
  files_changed: z.number(),
  dirs_new: z.number().optional(),
  dirs_changed: z.number().optional(),
  dirs_unmodified: z.number().optional(),
  data_blobs: z.number().optional(),
  tree_blobs: z.number().optional(),
  total_files_processed: z.number(),
  total_bytes_processed: z.number(),
  data_added: z.number(),
  /** All of it, or its first 8 digits before restic 0.15. */
  snapshot_id: z
    .string()
    .regex(/^(?:[0-9a-f]{8}|[0-9a-f]{64})$/)
    .optional()
    .catch(undefined),
});
const Fault = z.object({
  message_type: z.literal('error'),
  /** An error of Go: `Err` is the number of a system error. */
  error: z
    .object({ Err: z.union([z.number(), z.string()]).catch(''), message: z.string().catch('') })
    .partial(),
  item: z.string(),
});
const Message = z.discriminatedUnion('message_type', [Status, Summary, Fault]);

export type ResticMessage = z.output<typeof Message>;
export type ResticSummary = z.output<typeof Summary>;

/** `null` for an unknown message. */
export function messageOf(line: string): ResticMessage | null {
  if (!line.startsWith('{')) return null;
  try {
    return Message.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null;
  }
}

const ENOENT = 2;

/** Whether a file went away before it could be read. */
export const isVanished = ({ error }: z.output<typeof Fault>): boolean =>
  error.Err === ENOENT || /no such file or directory/.test(`${error.message} ${error.Err}`);

const Snapshot = z.object({
  struct_type: z.literal('snapshot'),
  id: z.string().regex(/^[0-9a-f]{64}$/),
});
const Node = z.object({
  struct_type: z.literal('node'),
  type: z.string(),
  path: z.string(),
  uid: z.int().nonnegative(),
  gid: z.int().nonnegative(),
  size: z.int().nonnegative().optional(),
  /** Go's `fs.FileMode`. */
  mode: z.int().nonnegative(),
  mtime: z.string(),
  ctime: z.string(),
});
const Listed = z.discriminatedUnion('struct_type', [Snapshot, Node]);

export type ResticNode = z.output<typeof Node>;

/** A line of `restic ls --json`; throws for one that is none. */
export const listedOf = (line: string): z.output<typeof Listed> => Listed.parse(JSON.parse(line));

/** `2026-11-20T08:41:17.532102725+01:00` in nanoseconds since the Unix epoch. */
export function nanoseconds(time: string): bigint {
  const [, seconds, fraction = '', zone] =
    /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/.exec(time) ?? [];
  const whole = Date.parse(`${seconds}${zone}`);
  if (!Number.isFinite(whole)) throw new Error(`"${time}" is not a time`);
  return BigInt(whole) * 1_000_000n + BigInt(fraction.padEnd(9, '0'));
}

/** See https://pkg.go.dev/io/fs#FileMode. */
const GO_SETUID = 2 ** 23;
const GO_SETGID = 2 ** 22;
const GO_STICKY = 2 ** 20;
const has = (mode: number, bit: number): boolean => Math.floor(mode / bit) % 2 === 1;

/** Permissions with set-id and sticky bits, as in stat(2). */
export const permissionsOf = (mode: number): number =>
  (mode % 0o1000) +
  (has(mode, GO_SETUID) ? 0o4000 : 0) +
  (has(mode, GO_SETGID) ? 0o2000 : 0) +
  (has(mode, GO_STICKY) ? 0o1000 : 0);
