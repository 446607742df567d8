import { type ByteString, display } from './byte-string.ts';

const MAX_KEPT = 5;
const MAX_SHOWN_LENGTH = 400;

const VANISHED = /^(?:file|directory) has vanished: (.*)$/;
const FULL = /(?:No space left on device|Disk quota exceeded)(?: \(\d+\))?$/;
/** A file that changed while it was read. A second look usually finds it still. */
const UNSTEADY = /failed verification -- update|read errors mapping/i;
/** The call that failed is named before the path, the reason after it. */
const ATTRIBUTE_CALL = /xattr|acl|rsync_xal_set|change_sacl_perms/i;
const GONE = /: No such file or directory \(2\)$/;
/** The message for a file system without ACLs or extended attributes. */
const ATTRIBUTES = /rsync_xal_set|set_acl|change_sacl_perms|sys_acl_set_file|lsetxattr|lremovexattr/;
const NOT_TAKEN =
  /: (?:Operation not supported|Operation not permitted|Permission denied|No space left on device|Argument list too long)/;
/** In characters of a line. */
const MAX_HEAD = 200;
/** Said by one of the two halves that write. */
const WRITING = /^rsync: \[(?:receiver|generator)\]/i;
/** The last words of an rsync that ends, and of the other half about it; they name no file. */
const EPILOGUE =
  /^rsync error: |^rsync: (?:\[\w+\] )?connection unexpectedly closed|^IO error encountered|^rsync: \[\w+\] safe_read failed|^rsync: \[\w+\] writefd_unbuffered failed|write error: Broken pipe/;

/** rsync's messages: all counted, the first ones kept. Lines come in the C locale. */
export class RsyncComplaints {
  readonly vanished: string[] = [];
  vanishedCount = 0;
  /** Lines that report errors. */
  readonly faults: string[] = [];
  faultCount = 0;
  unsteadyCount = 0;
  /** The unwritable parts were ACLs or extended attributes. */
  attributeCount = 0;
  isFull = false;
  /** An error about writing, not only about reading. */
  hasWriteFault = false;
  readonly #epilogue: string[] = [];

  readonly line = (line: string): void => {
    const vanished = VANISHED.exec(line)?.[1];
    if (vanished !== undefined) {
      this.vanishedCount += 1;
      if (this.vanished.length < MAX_KEPT) this.vanished.push(readable(vanished));
      return;
    }
    const head = line.slice(0, MAX_HEAD);
    const tail = line.slice(-MAX_HEAD);
    if (ATTRIBUTES.test(head) && NOT_TAKEN.test(tail)) this.attributeCount += 1;
    else if (FULL.test(tail)) this.isFull = true;
    if (UNSTEADY.test(line) || (ATTRIBUTE_CALL.test(head) && GONE.test(tail))) this.unsteadyCount += 1;
    if (EPILOGUE.test(line)) {
      if (this.#epilogue.length < MAX_KEPT) this.#epilogue.push(readable(line));
      return;
    }
    if (WRITING.test(line)) this.hasWriteFault = true;
    this.faultCount += 1;
    if (this.faults.length < MAX_KEPT) this.faults.push(readable(line));
  };

  /** The first messages, on one line; rsync's exit status if there are none. */
  get text(): string {
    const first = this.faults.length > 0 ? this.faults : this.#epilogue.slice(0, 1);
    const more = this.faultCount - this.faults.length;
    return [...first, ...(more > 0 ? [`and ${more} more`] : [])].join('; ') || 'no output';
  }
}

/** rsync prints non-ASCII bytes as `\#ooo` (octal); show the name instead. */
export function readable(line: string): string {
  const bytes = line
    .slice(0, 5 * MAX_SHOWN_LENGTH)
    .replace(/\\#([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
  const text = display(bytes as ByteString);
  return text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}…` : text;
}
