import { afterAll, beforeAll } from 'vitest';
import type { LogLimits } from '../../src/domain/jobs/job-log.ts';
import type { JobSubject, MakeJobSubject } from './job-subject.ts';

/** A subject for the tests of one `describe`, and new servers on demand. */
export function sharedSubject(
  makeSubject: MakeJobSubject,
  options: { readonly logLimits?: LogLimits } = {},
): { subject: () => JobSubject; server: () => Promise<number> } {
  let subject: JobSubject | undefined;
  let servers = 0;
  beforeAll(async () => {
    subject = await makeSubject(options);
  });
  afterAll(() => subject?.close());
  const get = (): JobSubject => {
    if (!subject) throw new Error('the subject is made before the first test');
    return subject;
  };
  return { subject: get, server: () => get().addServer(`host-${++servers}`) };
}
