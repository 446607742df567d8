import { pipeline } from 'node:stream/promises';
import type { RemoteHost } from '../../../../application/ports/fleet/remote-host.ts';
import { DomainError } from '../../../../domain/base/errors.ts';
import { type ByteString, textOf } from '../byte-string.ts';
import { readLines } from '../rsync-lines.ts';
import { masked } from './restic-environment.ts';
import type { ResticEnd, ResticHost } from './restic-host.ts';

const UNPACK = 'cd -- "$1" || exit 43; exec tar -xpf - --numeric-owner';
const UNPACK_PLAIN = 'cd -- "$1" || exit 43; exec tar -xf -';
const MAX_REPORTED = 4_096;

/** Streams files of a snapshot from its own host through the service to another machine, as restic's tar. */
export async function dumpTo(
  target: RemoteHost,
  restic: ResticHost,
  order: { readonly id: string; readonly directory: string; readonly paths: readonly ByteString[] },
): Promise<ResticEnd> {
  let last: ResticEnd = { exitCode: 0, said: '' };
  for (const path of order.paths) {
    last = await dumpPath(target, restic, order, `/${textOf(path) ?? path}`);
    if (last.exitCode !== 0) return last;
  }
  return last;
}

async function dumpPath(
  target: RemoteHost,
  restic: ResticHost,
  { id, directory }: { readonly id: string; readonly directory: string },
  path: string,
): Promise<ResticEnd> {
  const reader = await restic.start({ args: ['dump', '--archive', 'tar', id, path] });
  const writer = await target.open({
    script: (await isGnuTar(target)) ? UNPACK : UNPACK_PLAIN,
    args: [directory],
    asRoot: true,
  });
  // tar prints nothing there, and its exit waits for a reader
  writer.stdout.resume();
  let said = '';
  const keep = (line: string): void => {
    said = `${said}${masked(line, restic.opened.secrets)}\n`.slice(-MAX_REPORTED);
  };
  const listening = [readLines(reader.stderr, keep), readLines(writer.stderr, keep)];
  try {
    await pipeline(reader.stdout, writer.stdin);
  } catch (error) {
    reader.kill();
    writer.kill();
    await Promise.allSettled([reader.exit, writer.exit, ...listening]);
    throw new DomainError(
      'restore_failed',
      `The files could not be transferred: ${said.trim() || String(error)}`,
      {
        cause: error,
      },
    );
  }
  const [{ exitCode: read }, { exitCode: written }] = await Promise.all([reader.exit, writer.exit]);
  await Promise.all(listening);
  return { exitCode: read === 0 ? written : read, said: said.trim() };
}

async function isGnuTar(host: RemoteHost): Promise<boolean> {
  const { stdout } = await host.run({ script: 'tar --version 2>/dev/null | head -n 1' });
  return stdout.toString('utf8').includes('GNU');
}
