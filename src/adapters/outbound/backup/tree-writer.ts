import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';
import { DomainError } from '../../../domain/base/errors.ts';
import { type ByteString, display } from './byte-string.ts';
import { FILE_HEADER_BYTES, putFileHeader } from './file-header.ts';
import { TOOL_ENVIRONMENT, toolProblem } from './local-program.ts';
import { storeIsFull } from './store-space.ts';
import type { Surveyed } from './surveyed.ts';
import { TAR_BLOCK, type TarMember, type TarType, tarEnd, tarHeader, tarPadding } from './tar-header.ts';

const STAGE_BYTES = 256 * 1024;
const NO_RECORDS: ReadonlyMap<string, Buffer> = new Map();
const MAX_SAID = 64 * 1024;
/** The only sign of an interrupted write. */
const FULL = /: (?:No space left on device|Disk quota exceeded|Wrote only \d+ of \d+ bytes)$/m;
/** The message for a file system without ACLs or extended attributes. */
const ATTRIBUTES = /: Cannot set .*(?:ACL|attribute)|setxattr|acl_set|: Warning: Cannot /i;
const EPILOGUE = /Exiting with failure status|Error is not recoverable/;

/** A service that is not root must be able to read and remove its snapshots. */
const IS_ROOT = process.geteuid?.() === 0;
const OWN_MODE = IS_ROOT ? 0 : 0o400;

/** A path's metadata, for the writer that creates it. */
export function memberOf(entry: Surveyed, type: TarType): TarMember {
  const { mode, uid, gid, mtimeNs } = entry.facts;
  const own = IS_ROOT ? 0 : entry.type === 'directory' ? 0o700 : OWN_MODE;
  return { path: entry.path, type, mode: mode | own, uid, gid, mtimeNs };
}

/** Whether the tar of the service's machine keeps times exactly, holes and attributes. */
export async function hasGnuTar(): Promise<boolean> {
  knownGnuTar ||= await promisify(execFile)('tar', ['--version'], { env: TOOL_ENVIRONMENT }).then(
    ({ stdout }) => stdout.includes('GNU tar'),
    () => false,
  );
  return knownGnuTar;
}

/** Cached only if found: it may be installed later. */
let knownGnuTar = false;

/**
 * Creates files of a snapshot with the system's tar, because Node cannot set times in nanoseconds, create devices or
 * set ACLs; its input has only our own headers, with checked names, so that a host controls nothing but contents.
 */
export class TreeWriter {
  readonly isExact: boolean;
  readonly #child: ChildProcess;
  readonly #ended: Promise<number | null>;
  readonly #signal: AbortSignal;
  /** Waiting to be written. */
  #stage = Buffer.allocUnsafeSlow(STAGE_BYTES);
  #staged = 0;
  /** Written last: free when the next one is written. */
  #other = Buffer.allocUnsafeSlow(STAGE_BYTES);
  /** Being written. */
  #writing: Promise<void> = Promise.resolve();
  #said = '';
  #failure: Error | undefined;

  constructor(directory: string, options: WriterOptions) {
    this.isExact = options.isExact;
    this.#signal = options.signal;
    const args = options.isExact
      ? gnuArguments(directory, options.attributes)
      : ['-x', '-p', '-f', '-', '-C', directory];
    this.#child = spawn('tar', args, {
      env: TOOL_ENVIRONMENT,
      stdio: ['pipe', 'ignore', 'pipe', options.lockFd],
    });
    this.#child.stderr?.on('data', (chunk: Buffer) => {
      if (this.#said.length < MAX_SAID) this.#said += chunk.toString('latin1');
    });
    this.#child.stdin?.on('error', () => undefined);
    this.#ended = new Promise((resolve) => {
      this.#child.once('error', (error) => {
        this.#failure = toolProblem('tar', error);
        resolve(null);
      });
      this.#child.once('close', (code) => resolve(code));
    });
    void this.#ended;
  }

  header(member: TarMember): void | Promise<void> {
    return this.write(tarHeader(member, this.isExact));
  }

  /** A file with its content. Waits only if much is to be written. */
  file(
    entry: Surveyed,
    content: Buffer,
    records: ReadonlyMap<string, Buffer> = NO_RECORDS,
  ): void | Promise<void> {
    const size = content.length;
    const room = STAGE_BYTES - this.#staged - FILE_HEADER_BYTES - TAR_BLOCK;
    if (size > room || records.size > 0) return this.#longFile(entry, content, records);
    const { uid, gid, mode, mtime } = entry.facts;
    const facts = { path: entry.path, mode: mode | OWN_MODE, uid, gid, size, mtime };
    const bytes = putFileHeader(this.#stage, this.#staged, facts, this.isExact);
    if (bytes === 0) return this.#longFile(entry, content, records);
    this.#staged += bytes;
    this.#stage.set(content, this.#staged);
    this.#staged += size;
    const padding = (TAR_BLOCK - (size % TAR_BLOCK)) % TAR_BLOCK;
    this.#stage.fill(0, this.#staged, this.#staged + padding);
    this.#staged += padding;
  }

  padding(size: number): void | Promise<void> {
    return this.write(tarPadding(size));
  }

  /** Waits only if much is to be written. */
  write(bytes: Buffer): void | Promise<void> {
    if (bytes.length > STAGE_BYTES - this.#staged) return this.#writeLong(bytes);
    this.#stage.set(bytes, this.#staged);
    this.#staged += bytes.length;
  }

  /** Throws `disk_full`, `backup_failed`. Says whether attributes could not be set. */
  async finish(): Promise<{ readonly lostAttributes: string | null }> {
    await this.write(tarEnd());
    await this.#flush();
    await this.#writing;
    this.#child.stdin?.end();
    const code = await this.#ended;
    this.#signal.throwIfAborted();
    if (this.#failure) throw this.#failure;
    return this.#judge(code);
  }

  /** Aborts; what was written stays. */
  async abandon(): Promise<void> {
    this.#child.stdin?.destroy();
    this.#child.kill('SIGTERM');
    await this.#ended;
  }

  async #longFile(entry: Surveyed, content: Buffer, records: ReadonlyMap<string, Buffer>): Promise<void> {
    const known = this.isExact ? records : NO_RECORDS;
    await this.header({ ...memberOf(entry, 'file'), size: content.length, records: known });
    await this.write(content);
    await this.padding(content.length);
  }

  async #writeLong(bytes: Buffer): Promise<void> {
    await this.#flush();
    if (bytes.length < STAGE_BYTES) return this.write(bytes);
    await this.#send(bytes);
  }

  async #flush(): Promise<void> {
    if (this.#staged === 0) return;
    await this.#writing;
    const chunk = this.#stage.subarray(0, this.#staged);
    [this.#stage, this.#other] = [this.#other, this.#stage];
    this.#staged = 0;
    await this.#send(chunk);
  }

  /** Waits for earlier data. */
  async #send(chunk: Buffer): Promise<void> {
    const { stdin } = this.#child;
    await this.#writing;
    this.#signal.throwIfAborted();
    if (!stdin || stdin.destroyed || this.#child.exitCode !== null) return this.#endedEarly();
    const written = new Promise<boolean>((resolve) => {
      stdin.write(chunk, (error) => resolve(!error));
    });
    this.#writing = written.then((isWritten) => (isWritten ? undefined : this.#endedEarly()));
    // thrown where it is awaited
    this.#writing.catch(() => undefined);
  }

  async #endedEarly(): Promise<void> {
    const code = await this.#ended;
    this.#signal.throwIfAborted();
    if (this.#failure) throw this.#failure;
    this.#judge(code);
    throw unwritable(`tar ended with ${code ?? 'a signal'}`);
  }

  #judge(code: number | null): { readonly lostAttributes: string | null } {
    const lines = this.#said.split('\n').filter((line) => line !== '' && !EPILOGUE.test(line));
    const attributes = lines.filter((line) => ATTRIBUTES.test(line));
    if (FULL.test(lines.filter((line) => !ATTRIBUTES.test(line)).join('\n'))) throw storeIsFull();
    const fault = lines.find((line) => !ATTRIBUTES.test(line));
    if (code !== 0 && (fault !== undefined || attributes.length === 0)) {
      throw unwritable(fault ?? `tar ended with ${code ?? 'a signal'}`);
    }
    return {
      lostAttributes: attributes[0] === undefined ? null : display(attributes[0].slice(0, 300) as ByteString),
    };
  }
}

interface WriterOptions {
  /** Whether the tar of this machine is GNU's. */
  readonly isExact: boolean;
  readonly attributes: boolean;
  /** Inherited, so that the lock on it lives as long as any writer. */
  readonly lockFd: number;
  readonly signal: AbortSignal;
}

/**
 * A writer for entries without ACLs and extended attributes, the most common, and one for the rest: setting them
 * takes time.
 */
export class TreeWriters {
  readonly #directory: string;
  readonly #options: WriterOptions;
  #plain: TreeWriter | undefined;
  #attributed: TreeWriter | undefined;

  constructor(directory: string, options: WriterOptions) {
    this.#directory = directory;
    this.#options = options;
  }

  for(records: ReadonlyMap<string, Buffer>): TreeWriter {
    return records.size > 0 ? this.attributed() : this.plain();
  }

  plain(): TreeWriter {
    this.#plain ??= new TreeWriter(this.#directory, { ...this.#options, attributes: false });
    return this.#plain;
  }

  /** Also removes other ACLs. */
  attributed(): TreeWriter {
    if (!this.#options.attributes) return this.plain();
    this.#attributed ??= new TreeWriter(this.#directory, this.#options);
    return this.#attributed;
  }

  /** As each of them. */
  async finish(): Promise<{ readonly lostAttributes: string | null }> {
    await this.#plain?.finish();
    return (await this.#attributed?.finish()) ?? { lostAttributes: null };
  }

  async abandon(): Promise<void> {
    await Promise.all([this.#plain?.abandon(), this.#attributed?.abandon()]);
  }
}

function gnuArguments(directory: string, attributes: boolean): string[] {
  const isRoot = process.geteuid?.() === 0;
  return [
    '-x',
    '-p',
    '-P',
    '-b',
    '128',
    '--numeric-owner',
    isRoot ? '--same-owner' : '--no-same-owner',
    ...(attributes ? ['--xattrs', '--xattrs-include=*', '--acls'] : []),
    '--warning=no-timestamp',
    '-f',
    '-',
    '-C',
    directory,
  ];
}

const unwritable = (what: string): DomainError =>
  new DomainError(
    'backup_failed',
    `The backup store could not be written to: ${display(what.slice(0, 400) as ByteString)}. It must be on a file system that keeps owners, permissions and links.`,
  );
