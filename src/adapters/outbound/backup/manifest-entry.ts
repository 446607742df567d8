import type { BigIntStats } from 'node:fs';
import { z } from 'zod';
import { type ByteString, bytesOfBuffer, bytesOfText, textOf, toBuffer } from './byte-string.ts';

export const ENTRY_TYPES = [
  'file',
  'directory',
  'symlink',
  'fifo',
  'socket',
  'character-device',
  'block-device',
] as const;
export type EntryType = (typeof ENTRY_TYPES)[number];

/** One path of a snapshot. */
export interface ManifestEntry {
  /** The full path on the host, without the leading slash. */
  readonly path: ByteString;
  readonly type: EntryType;
  /** Bytes of content; 0 if it has none. */
  readonly size: number;
  /** Nanoseconds since the Unix epoch. */
  readonly mtimeNs: bigint;
  /** Permissions, with set-id and sticky bits. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  /** Hex, of files. */
  readonly sha256?: string;
  /** The target of a symbolic link. */
  readonly target?: ByteString;
  /** Device number, of devices. */
  readonly device?: number;
  /** When it was changed in any way (`ctime`), nanoseconds since the Unix epoch; of engines that do not keep files themselves. */
  readonly ctimeNs?: bigint;
}

export const isDirectory = (entry: ManifestEntry): boolean => entry.type === 'directory';

export function typeOf(stat: BigIntStats): EntryType {
  if (stat.isFile()) return 'file';
  if (stat.isDirectory()) return 'directory';
  if (stat.isSymbolicLink()) return 'symlink';
  if (stat.isFIFO()) return 'fifo';
  if (stat.isSocket()) return 'socket';
  return stat.isCharacterDevice() ? 'character-device' : 'block-device';
}

/** The `lstat` of a path. */
export function entryOf(path: ByteString, stat: BigIntStats): ManifestEntry {
  const type = typeOf(stat);
  const isDevice = type === 'character-device' || type === 'block-device';
  return {
    path,
    type,
    size: type === 'file' ? Number(stat.size) : 0,
    mtimeNs: stat.mtimeNs,
    mode: Number(stat.mode & 0o7777n),
    uid: Number(stat.uid),
    gid: Number(stat.gid),
    ...(isDevice ? { device: Number(stat.rdev) } : {}),
  };
}

const whole = z.int().nonnegative();
const base64 = z.base64();
const Line = z.strictObject({
  path: z.string().optional(),
  pathBase64: base64.optional(),
  type: z.enum(ENTRY_TYPES),
  size: whole,
  mtimeNs: z.string().regex(/^-?\d{1,20}$/),
  mode: z.string().regex(/^[0-7]{4}$/),
  uid: whole,
  gid: whole,
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
  target: z.string().optional(),
  targetBase64: base64.optional(),
  device: whole.optional(),
  ctimeNs: z
    .string()
    .regex(/^-?\d{1,20}$/)
    .optional(),
});

/**
 * One JSON object without a line break. A name that is not valid UTF-8 is in `pathBase64` instead of `path`; likewise
 * for targets.
 */
export function encodeEntry(entry: ManifestEntry, sha256 = entry.sha256): string {
  let line = `{${named('path', 'pathBase64', entry.path)},"type":"${entry.type}","size":${entry.size}`;
  line += `,"mtimeNs":"${entry.mtimeNs}"`;
  line += `,"mode":"${entry.mode.toString(8).padStart(4, '0')}","uid":${entry.uid},"gid":${entry.gid}`;
  if (sha256 !== undefined) line += `,"sha256":"${sha256}"`;
  if (entry.target !== undefined) line += `,${named('target', 'targetBase64', entry.target)}`;
  if (entry.device !== undefined) line += `,"device":${entry.device}`;
  if (entry.ctimeNs !== undefined) line += `,"ctimeNs":"${entry.ctimeNs}"`;
  return `${line}}`;
}

/** Throws an `Error` for input that `encodeEntry` did not write. */
export function decodeEntry(text: string): ManifestEntry {
  const line = Line.parse(JSON.parse(text));
  const path = bytes(line.path, line.pathBase64);
  if (path === undefined || !isPlainPath(path)) throw new Error('a line of the manifest has no usable path');
  const target = bytes(line.target, line.targetBase64);
  return {
    path,
    type: line.type,
    size: line.size,
    mtimeNs: BigInt(line.mtimeNs),
    mode: Number.parseInt(line.mode, 8),
    uid: line.uid,
    gid: line.gid,
    ...(line.sha256 === undefined ? {} : { sha256: line.sha256 }),
    ...(target === undefined ? {} : { target }),
    ...(line.device === undefined ? {} : { device: line.device }),
    ...(line.ctimeNs === undefined ? {} : { ctimeNs: BigInt(line.ctimeNs) }),
  };
}

/** Relative, and without parts that lead elsewhere. */
const isPlainPath = (path: ByteString): boolean =>
  !path.includes('\0') && path.split('/').every((part) => part !== '' && part !== '.' && part !== '..');

/** Most names need no quoting. */
const NEEDS_NONE = /^[ !#-[\]-~]*$/;

function named(plain: string, encoded: string, value: ByteString): string {
  if (NEEDS_NONE.test(value)) return `"${plain}":"${value}"`;
  const text = textOf(value);
  return text === null
    ? `"${encoded}":"${toBuffer(value).toString('base64')}"`
    : `"${plain}":${JSON.stringify(text)}`;
}

function bytes(text: string | undefined, encoded: string | undefined): ByteString | undefined {
  if (text !== undefined) return bytesOfText(text);
  return encoded === undefined ? undefined : bytesOfBuffer(Buffer.from(encoded, 'base64'));
}
