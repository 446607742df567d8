import { type ByteString, toBuffer } from './byte-string.ts';

export const TAR_BLOCK = 512;
const MAX_NAME = 100;

export type TarType =
  | 'file'
  | 'hard-link'
  | 'symlink'
  | 'character-device'
  | 'block-device'
  | 'directory'
  | 'fifo';

const FLAGS: Readonly<Record<TarType, string>> = {
  file: '0',
  'hard-link': '1',
  symlink: '2',
  'character-device': '3',
  'block-device': '4',
  directory: '5',
  fifo: '6',
};

export interface TarMember {
  readonly path: ByteString;
  readonly type: TarType;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly mtimeNs: bigint;
  /** Bytes in the archive. */
  readonly size?: number;
  /** For links, unchanged. */
  readonly target?: ByteString;
  readonly device?: { readonly major: number; readonly minor: number };
  /** More records of a pax header: values are bytes. Only for a tar that knows them. */
  readonly records?: ReadonlyMap<string, Buffer>;
}

/**
 * The blocks before a member's content: names of any length and bytes as GNU tar writes them, which busybox reads as
 * well. With `exact` a pax header has times in nanoseconds; busybox skips it.
 */
export function tarHeader(member: TarMember, exact: boolean): Buffer {
  const blocks: Buffer[] = [];
  const records = new Map(member.records ?? []);
  const nanoseconds = ((member.mtimeNs % NS) + NS) % NS;
  const seconds = (member.mtimeNs - nanoseconds) / NS;
  if (exact && (nanoseconds !== 0n || seconds < 0n))
    records.set('mtime', Buffer.from(decimal(member.mtimeNs)));
  if (records.size > 0) blocks.push(...named('x', '././@PaxHeader', paxContent(records)));
  const name = toBuffer(`./${member.path}` as ByteString);
  const target = member.target === undefined ? Buffer.alloc(0) : toBuffer(member.target);
  if (target.length >= MAX_NAME) blocks.push(...named('K', '././@LongLink', closed(target)));
  if (name.length >= MAX_NAME) blocks.push(...named('L', '././@LongLink', closed(name)));
  blocks.push(headerBlock(FLAGS[member.type], name, target, member, seconds));
  return Buffer.concat(blocks);
}

/** Padding of the last block. */
export const tarPadding = (size: number): Buffer =>
  Buffer.alloc((TAR_BLOCK - (size % TAR_BLOCK)) % TAR_BLOCK);

export const tarEnd = (): Buffer => Buffer.alloc(2 * TAR_BLOCK);

const NS = 1_000_000_000n;

const closed = (bytes: Buffer): Buffer => Buffer.concat([bytes, Buffer.alloc(1)]);

function named(flag: string, name: string, content: Buffer): Buffer[] {
  const facts = { mode: 0, uid: 0, gid: 0, size: content.length };
  return [
    headerBlock(flag, Buffer.from(name), Buffer.alloc(0), facts, 0n),
    content,
    tarPadding(content.length),
  ];
}

function headerBlock(
  flag: string,
  name: Buffer,
  target: Buffer,
  facts: Pick<TarMember, 'mode' | 'uid' | 'gid' | 'size' | 'device'>,
  seconds: bigint,
): Buffer {
  const block = Buffer.alloc(TAR_BLOCK);
  name.copy(block, 0, 0, MAX_NAME);
  number(block, 100, 8, BigInt(facts.mode));
  number(block, 108, 8, BigInt(facts.uid));
  number(block, 116, 8, BigInt(facts.gid));
  number(block, 124, 12, BigInt(facts.size ?? 0));
  number(block, 136, 12, seconds);
  block.fill(' ', 148, 156);
  block.write(flag, 156, 'latin1');
  target.copy(block, 157, 0, MAX_NAME);
  block.write('ustar\u000000', 257, 'latin1');
  number(block, 329, 8, BigInt(facts.device?.major ?? 0));
  number(block, 337, 8, BigInt(facts.device?.minor ?? 0));
  let sum = 0;
  // behind the device numbers there is nothing
  for (let at = 0; at < 345; at += 1) sum += block[at] ?? 0;
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return block;
}

/** Octal if it fits, else two's complement with the top bit set. */
function number(block: Buffer, offset: number, length: number, value: bigint): void {
  const digits = value.toString(8);
  if (value >= 0n && digits.length < length) {
    block.write(`${digits.padStart(length - 1, '0')}\0`, offset, 'latin1');
    return;
  }
  let rest = BigInt.asUintN(8 * length, value);
  for (let at = offset + length - 1; at >= offset; at -= 1) {
    block[at] = Number(rest & 0xffn);
    rest >>= 8n;
  }
  block[offset] = value < 0n ? 0xff : 0x80;
}

function decimal(ns: bigint): string {
  const sign = ns < 0n ? '-' : '';
  const digits = (ns < 0n ? -ns : ns).toString().padStart(10, '0');
  return `${sign}${digits.slice(0, -9)}.${digits.slice(-9)}`;
}

/** Each record starts with its length. */
function paxContent(records: ReadonlyMap<string, Buffer>): Buffer {
  return Buffer.concat(
    [...records].map(([key, value]) => {
      const body = Buffer.concat([Buffer.from(` ${key}=`, 'latin1'), value, Buffer.from('\n')]);
      let length = body.length;
      while (length !== body.length + String(length).length) length = body.length + String(length).length;
      return Buffer.concat([Buffer.from(String(length)), body]);
    }),
  );
}
