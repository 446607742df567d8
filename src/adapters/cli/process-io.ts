import { open } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import type { Io } from './io.ts';

/** The process's own three streams. */
export class ProcessIo implements Io {
  constructor() {
    // Whoever reads us may stop early, as `head` does: what is left unsaid is nobody's error.
    for (const stream of [process.stdout, process.stderr]) {
      stream.on('error', (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EPIPE') throw error;
      });
    }
  }

  out(text: string): void {
    process.stdout.write(text);
  }

  err(text: string): void {
    process.stderr.write(text);
  }

  get interactive(): boolean {
    return process.stdin.isTTY && process.stderr.isTTY;
  }

  get columns(): number | null {
    return process.stderr.isTTY ? process.stderr.columns : null;
  }

  async ask(question: string, options: { readonly hidden?: boolean } = {}): Promise<string> {
    process.stderr.write(question);
    const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
    const output = options.hidden ? nowhere : process.stderr;
    const lines = createInterface({ input: process.stdin, output, terminal: process.stdin.isTTY });
    try {
      const ended = new Promise<never>((_, reject) => {
        lines.once('SIGINT', () => reject(new Error('interrupted.')));
        lines.once('close', () => reject(new Error('there is no answer: the input has ended.')));
      });
      return await Promise.race([lines.question(''), ended]);
    } finally {
      lines.close();
      if (options.hidden) process.stderr.write('\n');
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
