import { PassThrough, Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { ResticInspector } from '../../../../src/adapters/outbound/backup/restic/restic-inspector.ts';
import type { OpenRepository } from '../../../../src/application/ports/backups/repository-inspector.ts';
import type { HostProcess, RemoteHost } from '../../../../src/application/ports/fleet/remote-host.ts';
import { NO_PLACES } from '../../../support/service-places.ts';

const OPENED: OpenRepository = {
  repository: {
    id: 1,
    name: 'offsite',
    kind: 'rest',
    url: 'rest:http://backup.example/',
    initialisedAt: 1,
    createdAt: 1,
  },
  secrets: { password: 'p', login: null },
  found: async () => undefined,
};

/** A host whose restic prints this, whatever it is asked. */
function printing(output: () => Iterable<Buffer>): { host: RemoteHost; killed: () => boolean } {
  let isKilled = false;
  const open = async (): Promise<HostProcess> => {
    const stdout = Readable.from(output(), { objectMode: false });
    return {
      stdin: new PassThrough(),
      stdout,
      stderr: Readable.from([]),
      exit: new Promise((resolve) => stdout.once('close', () => resolve({ exitCode: 0, signal: null }))),
      kill: () => {
        isKilled = true;
      },
    };
  };
  return { host: { open } as unknown as RemoteHost, killed: () => isKilled };
}

const check = (host: RemoteHost) =>
  new ResticInspector(NO_PLACES).check(host, OPENED, 0, {
    signal: new AbortController().signal,
    log: () => undefined,
    progress: () => undefined,
  });

describe('A list of snapshots, which restic prints as one line', () => {
  it('is read whole, however long the line is', async () => {
    const list = Array.from({ length: 2_000 }, (_, at) => ({
      id: String(at).padStart(64, '0'),
      paths: ['/srv'],
    }));
    const { host } = printing(() => [Buffer.from(JSON.stringify(list))]);
    expect(await check(host)).toEqual({ snapshots: 2_000 });
  });

  it.each(['', 'null', '[]'])('is empty if restic prints %j', async (text) => {
    const { host } = printing(() => (text === '' ? [] : [Buffer.from(text)]));
    expect(await check(host)).toEqual({ snapshots: 0 });
  });

  it.each(['{', '{"id":1}', '['.repeat(100_000)])('is refused if it is none', async (text) => {
    const { host } = printing(() => [Buffer.from(text)]);
    await expect(check(host)).rejects.toMatchObject({ code: 'repository_unusable' });
  });

  it('is not read forever', async () => {
    const { host, killed } = printing(function* () {
      for (;;) yield Buffer.alloc(1024 * 1024, ' ');
    });
    await expect(check(host)).rejects.toMatchObject({ code: 'repository_unusable' });
    expect(killed()).toBe(true);
  });
});
