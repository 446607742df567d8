import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';

const Checks = z.array(z.object({ id: z.string(), status: z.string(), errorMessage: z.string().optional() }));

/** `scenario check`, as the file of expected failures names them. */
export interface Verdict {
  readonly passed: readonly string[];
  readonly failed: ReadonlyMap<string, string>;
}

/** Reads the suite's output: a directory a scenario, named `server-<scenario>-<time>`. */
export async function verdictIn(directory: string): Promise<Verdict> {
  const passed: string[] = [];
  const failed = new Map<string, string>();
  for (const name of await readdir(directory)) {
    const scenario = name.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, '');
    const file = await readFile(join(directory, name, 'checks.json'), 'utf8');
    for (const { id, status, errorMessage } of Checks.parse(JSON.parse(file))) {
      if (status === 'SUCCESS') passed.push(`${scenario} ${id}`);
      if (status === 'FAILURE') failed.set(`${scenario} ${id}`, errorMessage ?? '');
    }
  }
  return { passed, failed };
}

const FILE = fileURLToPath(new URL('expected-failures.txt', import.meta.url));
const LINE = /^(\S+ \S+): (\S.{10,})$/;

/** The expected failures and their reasons. Throws for a line that has none. */
export async function expectedFailures(): Promise<ReadonlyMap<string, string>> {
  const lines = (await readFile(FILE, 'utf8')).split('\n').filter((line) => !/^(#|$)/.test(line));
  return new Map(
    lines.map((line) => {
      const [, check, reason] = LINE.exec(line) ?? [];
      if (check === undefined || reason === undefined) throw new Error(`${FILE}: no reason in "${line}"`);
      return [check, reason];
    }),
  );
}
