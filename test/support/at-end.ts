// In the global scope, as each file of tests has its own copy of this module.
const work = ((globalThis as { droverAtEnd?: (() => Promise<void>)[] }).droverAtEnd ??= []);

/** Does this after the last test of the file, and after its own hooks. */
export function atEnd(task: () => Promise<void>): void {
  work.push(task);
}

/** Does all of it: what `at-end.setup.ts` calls in tests, and a process of a test before it exits. */
export async function end(): Promise<void> {
  for (const task of work.splice(0)) await task();
}
