import { type StdioOptions, spawn } from 'node:child_process';
import { DomainError } from '../../../domain/base/errors.ts';
import { shellCommand } from '../../../domain/base/shell-command.ts';

/** Where the service's own tools are; its environment is not passed on, because it may hold secrets. */
export const TOOL_ENVIRONMENT = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LC_ALL: 'C',
};

const PACKAGE_OF_TOOL: Readonly<Record<string, string>> = {
  rsync: 'rsync',
  tar: 'tar',
  cp: 'coreutils',
  touch: 'coreutils',
  flock: 'util-linux',
  sync: 'coreutils',
  rm: 'coreutils',
};

const MAX_STDERR = 4_096;

/** Runs a tool on the service's machine to its end. Throws `host_tool_missing` if it is not installed. */
export function runTool(
  tool: string,
  args: readonly string[],
  options: { readonly fds?: readonly number[]; readonly signal?: AbortSignal } = {},
): Promise<{ readonly exitCode: number | null; readonly stderr: string }> {
  const stdio: StdioOptions = ['ignore', 'ignore', 'pipe', ...(options.fds ?? [])];
  return new Promise((resolve, reject) => {
    const child = spawn(tool, [...args], { env: TOOL_ENVIRONMENT, stdio });
    const stop = (): boolean => child.kill('SIGKILL');
    options.signal?.addEventListener('abort', stop, { once: true });
    let stderr = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      stderr = `${stderr}${chunk.toString('latin1')}`.slice(0, MAX_STDERR);
    });
    child.once('error', (error) => reject(toolProblem(tool, error)));
    child.once('close', (exitCode) => {
      options.signal?.removeEventListener('abort', stop);
      if (options.signal?.aborted) reject(options.signal.reason);
      else resolve({ exitCode, stderr: stderr.trim() });
    });
  });
}

/** The message if one of our tools did not start. */
export function toolProblem(tool: string, error: Error): Error {
  if (!('code' in error) || error.code !== 'ENOENT') return error;
  const name = PACKAGE_OF_TOOL[tool] ?? tool;
  return new DomainError(
    'host_tool_missing',
    `"${tool}" is not installed on the machine that the service runs on: install its package (${name}) there, for example with: ${shellCommand`apt-get install ${name}`}`,
    { cause: error },
  );
}
