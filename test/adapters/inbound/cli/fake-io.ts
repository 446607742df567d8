import type { Io } from '../../../../src/adapters/inbound/cli/io.ts';

/** A terminal in memory: its output, and the answers to type. */
export class FakeIo implements Io {
  stdout = '';
  stderr = '';
  interactive = false;
  columns: number | null = null;
  /** Typed one after another; each may check the screen first. */
  readonly answers: (string | (() => string | Promise<string>))[] = [];
  readonly questions: { readonly question: string; readonly hidden: boolean }[] = [];
  input = '';
  readonly files = new Map<string, string>();

  out(text: string): void {
    this.stdout += text;
  }

  err(text: string): void {
    this.stderr += text;
  }

  async ask(question: string, options: { readonly hidden?: boolean } = {}): Promise<string> {
    this.questions.push({ question, hidden: options.hidden ?? false });
    const answer = this.answers.shift();
    if (answer === undefined) throw new Error(`Nobody answers: ${question}`);
    return typeof answer === 'function' ? answer() : answer;
  }

  async readInput(): Promise<string> {
    return this.input;
  }

  async readFile(path: string): Promise<string> {
    const text = this.files.get(path);
    if (text === undefined) throw Object.assign(new Error(`no such file: ${path}`), { code: 'ENOENT' });
    return text;
  }
}
