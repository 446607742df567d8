import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { RemoteHost } from '../../application/ports/remote-host.ts';
import { TOOL_ENVIRONMENT } from './local-program.ts';

const run = promisify(execFile);

/**
 * ACLs, and of extended attributes those that mean the same on another machine: the users' own, and the capabilities of
 * programs. Labels of SELinux and the like are the business of each machine's own policy.
 */
export const ATTRIBUTES = [
  '-A',
  '-X',
  '--filter=+x user.*',
  '--filter=+x security.capability',
  '--filter=-x *',
];

/** Whether an rsync that says this of itself (`rsync --version`) can carry ACLs and extended attributes. */
export const carriesAttributes = (version: string): boolean =>
  /(?<!no )\bACLs\b/.test(version) && /(?<!no )\bxattrs\b/.test(version);

/** Without root the store keeps no owners either, so that ACLs would name the wrong ones. */
export async function carriesAttributesHere(): Promise<boolean> {
  if (process.geteuid?.() !== 0) return false;
  const asked = run('rsync', ['--version'], { env: TOOL_ENVIRONMENT });
  return asked.then(
    ({ stdout }) => carriesAttributes(stdout),
    () => false,
  );
}

export async function carriesAttributesThere(host: RemoteHost, signal: AbortSignal): Promise<boolean> {
  const { exitCode, stdout } = await host.run({ script: 'rsync --version', asRoot: true }, { signal });
  return exitCode === 0 && carriesAttributes(stdout.toString('latin1'));
}
