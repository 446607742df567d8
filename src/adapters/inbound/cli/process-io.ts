import { open } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { EXIT } from './exit-codes.ts';
import type { Io } from './io.ts';

const USUAL_COLUMNS = 80;

/** Ctrl-C instead of an answer. */
class Interrupted extends Error {
  readonly exitCode = EXIT.interrupted;
}

/** The process's own three streams. */
export class ProcessIo implements Io {
  constructor() {
    for (const stream of [process.stdout, process.stderr]) stream.on('error', unwritten);
  }

  out(text: string): void {
    process.stdout.write(text);
  }

  err(text: string): void {
    process.stderr.write(text);
  }

  get interactive(): boolean {
    // Node leaves isTTY undefined without a terminal.
    return (process.stdin.isTTY ?? false) && (process.stderr.isTTY ?? false);
  }

  get columns(): number | null {
    // A terminal may not know its own width.
    return process.stderr.isTTY ? process.stderr.columns || USUAL_COLUMNS : null;
  }

  async ask(question: string, options: { readonly hidden?: boolean } = {}): Promise<string> {
    // A hidden question writes its own prompt: readline's echo is discarded.
    if (options.hidden) process.stderr.write(question);
    const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
    const output = options.hidden ? nowhere : process.stderr;
    const lines = createInterface({ input: process.stdin, output, terminal: process.stdin.isTTY });
    let answered = false;
    try {
      const ended = new Promise<never>((_, reject) => {
        lines.once('SIGINT', () => reject(new Interrupted('interrupted.')));
        lines.once('close', () => reject(new Error('there is no answer: the input has ended.')));
      });
      const answer = await Promise.race([lines.question(question), ended]);
      answered = true;
      return answer;
    } finally {
      lines.close();
      // After hidden or interrupted input there was no line end.
      if (options.hidden || !answered) process.stderr.write('\n');
    }
  }

  async readInput(mostBytes: number): Promise<string> {
    return readAll(process.stdin, mostBytes);
  }

  async readFile(path: string, mostBytes: number): Promise<string> {
    const file = await open(path);
    try {
      return await readAll(file.createReadStream({ autoClose: false }), mostBytes);
    } finally {
      await file.close();
    }
  }
}

function unwritten({ code, message }: NodeJS.ErrnoException): void {
  // The reader may stop early, as `head` does: that is no error.
  if (code === 'EPIPE') return;
  process.stderr.write(`drover: the output could not be written: ${message}.\n`);
  process.exit(EXIT.failed);
}

async function readAll(stream: AsyncIterable<Buffer>, mostBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes > mostBytes) throw new RangeError(`There are more than ${mostBytes} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
