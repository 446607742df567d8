import { closeSync, constants, fstatSync, openSync, type Stats, statfsSync } from 'node:fs';
import { DomainError } from '../../../../../domain/base/errors.ts';

/** From include/uapi/asm-generic/fcntl.h; Node does not name it. Such a descriptor only says where something is. */
const O_PATH = 0o10_000_000;
/** From include/uapi/linux/magic.h. */
const PROC_SUPER_MAGIC = 0x9fa0;

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;

/**
 * Where Linux shows a process its open descriptors. A name below one of them is looked up in exactly the open
 * directory, whatever happens to its path: like openat(2), which Node lacks.
 */
const DESCRIPTORS = '/proc/self/fd';

/** Throws `host_unsupported` if there is no /proc: everything here depends on it. */
export function assertProc(mount = '/proc'): void {
  try {
    if (statfsSync(mount).type === PROC_SUPER_MAGIC) return;
  } catch {
    // not there at all
  }
  throw new DomainError(
    'host_unsupported',
    'File tools on the machine itself need Linux with /proc mounted; without it, they cannot open paths safely.',
  );
}

/** An open file or directory. Its calls do not wait for a disk longer than a lookup, and are not asynchronous. */
export class Descriptor {
  readonly fd: number;
  #open = true;

  private constructor(fd: number) {
    this.fd = fd;
  }

  static root(): Descriptor {
    return new Descriptor(openSync('/', O_PATH | O_DIRECTORY));
  }

  /** A directory by a path that no one else can change; its last name must not be a link. */
  static of(directory: string): Descriptor {
    return new Descriptor(openSync(directory, O_PATH | O_DIRECTORY | O_NOFOLLOW));
  }

  /** A path for other calls that names an entry of this directory, or the directory itself without a name. */
  at(name?: string | Uint8Array): Buffer {
    const self = Buffer.from(`${DESCRIPTORS}/${this.fd}`);
    return name === undefined ? self : Buffer.concat([self, Buffer.from('/'), Buffer.from(name)]);
  }

  /** A directory in this one. A link in its place is ENOTDIR. */
  directory(name: string | Uint8Array): Descriptor {
    return this.#at(name, O_PATH | O_DIRECTORY | O_NOFOLLOW);
  }

  /** An entry itself, a link too, without opening it: nothing happens to a FIFO or a device. */
  entry(name: string): Descriptor {
    return this.#at(name, O_PATH | O_NOFOLLOW);
  }

  /** A file that must not be there yet, for writing. */
  create(name: string, mode: number): Descriptor {
    return this.#at(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
  }

  /** The same file again, for reading its content. */
  readable(): Descriptor {
    return new Descriptor(openSync(this.at(), O_RDONLY | O_NONBLOCK));
  }

  stat(): Stats {
    return fstatSync(this.fd);
  }

  close(): void {
    if (this.#open) closeSync(this.fd);
    this.#open = false;
  }

  #at(name: string | Uint8Array, flags: number, mode?: number): Descriptor {
    return new Descriptor(openSync(this.at(name), flags, mode));
  }
}
