import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';

const Checks = z.array(z.object({ id: z.string(), status: z.string(), errorMessage: z.string().optional() }));

/** Checks as `scenario check`. */
export interface Verdict {
  readonly passed: readonly string[];
  /** With the reason. Warnings are about advice of the protocol that was not followed. */
  readonly failed: readonly string[];
  readonly warned: readonly string[];
}

/** Reads the suite's output: a directory a scenario, named `server-<scenario>-<time>`. */
export async function verdictIn(directory: string): Promise<Verdict> {
  const passed: string[] = [];
  const failed: string[] = [];
  const warned: string[] = [];
  for (const name of await readdir(directory)) {
    const scenario = name.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, '');
    const file = await readFile(join(directory, name, 'checks.json'), 'utf8');
    for (const { id, status, errorMessage } of Checks.parse(JSON.parse(file))) {
      if (status === 'SUCCESS') passed.push(`${scenario} ${id}`);
      if (status === 'FAILURE') failed.push(`${scenario} ${id}: ${errorMessage ?? ''}`);
      if (status === 'WARNING') warned.push(`${scenario} ${id}: ${errorMessage ?? ''}`);
    }
  }
  return { passed, failed, warned };
}
