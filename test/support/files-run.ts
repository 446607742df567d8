import { Session } from 'node:inspector/promises';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * The files of `src` in which at least one function runs while `work` does, counted by V8. What only loads, such as
 * types and tables, does not count.
 */
export async function filesRun(work: () => Promise<unknown>): Promise<ReadonlySet<string>> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    await session.post('Profiler.takePreciseCoverage');
    await work();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const files = result
      .filter(({ functions }) =>
        functions.some((each) => each.functionName !== '' && (each.ranges[0]?.count ?? 0) > 0),
      )
      .map(({ url }) => relative(ROOT, url.startsWith('file:') ? fileURLToPath(url) : url));
    return new Set(files.filter((name) => name.startsWith('src/')));
  } finally {
    session.disconnect();
  }
}
