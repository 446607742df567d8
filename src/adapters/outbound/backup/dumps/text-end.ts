import type { DumpFormat } from './dump-format.ts';

const NOTHING: Buffer = Buffer.alloc(0);
/** The last comment is shorter. */
const TAIL_BYTES = 1_024;

/** A dump of SQL statements, whose last comment marks the end. Only comments may follow it. */
class TextEnd implements DumpFormat {
  readonly #complete: RegExp;
  #tail = NOTHING;

  constructor(complete: RegExp) {
    this.#complete = complete;
  }

  pass(chunk: Buffer): Buffer {
    this.#tail = chunk.length >= TAIL_BYTES ? chunk.subarray(-TAIL_BYTES) : this.#joined(chunk);
    return chunk;
  }

  end(): { readonly rest: Buffer; readonly fault: string | null } {
    const lines = this.#tail.toString('latin1').split('\n');
    const at = lines.findLastIndex((line) => this.#complete.test(line));
    const isWhole = lines.at(-1) === '' && at >= 0 && lines.slice(at + 1).every(isRemark);
    return {
      rest: NOTHING,
      fault: isWhole ? null : 'its last line, which says that it is complete, is missing',
    };
  }

  #joined(chunk: Buffer): Buffer {
    return Buffer.concat([this.#tail, chunk]).subarray(-TAIL_BYTES);
  }
}

/** Newer versions of pg_dump end with `\unrestrict` and a token. */
const isRemark = (line: string): boolean =>
  line === '' || line === '--' || /^\\unrestrict [A-Za-z0-9]+$/.test(line);

export const postgresEnd = (): DumpFormat =>
  new TextEnd(/^-- PostgreSQL database (?:cluster )?dump complete$/);
export const mysqlEnd = (): DumpFormat => new TextEnd(/^-- Dump completed(?: on [\d :-]{8,30})?$/);
