import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { z } from 'zod';
import { must } from '../../../../scripts/lib/programs.mjs';
import { ResticBackupEngine } from '../../../../src/adapters/outbound/backup/restic/restic-backup-engine.ts';
import { LocalRemoteHosts } from '../../../../src/adapters/outbound/hosts/local/local-remote-hosts.ts';
import type { ProtectedPlaces } from '../../../../src/application/ports/backups/protected-places.ts';
import type { OpenRepository } from '../../../../src/application/ports/backups/repository-inspector.ts';
import type { RemoteHost } from '../../../../src/application/ports/fleet/remote-host.ts';
import type { RepositorySecrets } from '../../../../src/domain/backups/backup-repository.ts';
import type { NewSnapshot } from '../../../../src/domain/backups/snapshot.ts';
import type { BackupSubject } from '../../../contracts/backup-engine.contract.ts';
import { NO_PLACES } from '../../../support/service-places.ts';

export const PASSWORD = 'pass word $(id) \\ "quoted"';

const Index = z.object({
  packs: z.array(
    z.object({
      id: z.string(),
      blobs: z.array(z.object({ id: z.string(), offset: z.number(), length: z.number() })),
    }),
  ),
});

/** The restic engine; each source has a separate repository, on this machine's disk by default. */
export class ResticFixture implements BackupSubject {
  readonly engine: ResticBackupEngine;
  readonly host: RemoteHost;
  readonly directory: string;
  /** The service's data about snapshots. */
  readonly root: string;
  /** Sources whose repository was found or made. */
  readonly found = new Set<number>();
  isNew = false;
  #template: Promise<string> | undefined;
  readonly #hosts: LocalRemoteHosts;
  readonly #base: string;
  readonly #urlOf: (directory: string) => string;
  secrets: RepositorySecrets = { password: PASSWORD, login: null };

  private constructor(
    base: string,
    hosts: LocalRemoteHosts,
    host: RemoteHost,
    urlOf: (path: string) => string,
    lockPatienceMs: number,
    places: ProtectedPlaces,
  ) {
    this.#base = base;
    this.#hosts = hosts;
    this.#urlOf = urlOf;
    this.host = host;
    this.directory = join(base, 'host');
    this.root = join(base, 'manifests');
    const repositories = {
      ofSource: async (id: number) => {
        await this.#prepare(id);
        return this.opened(id);
      },
    };
    this.engine = new ResticBackupEngine({ root: this.root, repositories, places, lockPatienceMs });
  }

  static async create(
    options: {
      readonly host?: RemoteHost;
      readonly urlOf?: (directory: string) => string;
      readonly lockPatienceMs?: number;
      readonly places?: (directory: string) => ProtectedPlaces;
    } = {},
  ): Promise<ResticFixture> {
    const base = await mkdtemp(join(tmpdir(), 'drover-restic-'));
    const hosts = new LocalRemoteHosts();
    const here = await hosts.connect({ kind: 'local', serverId: 7, serverName: 'here', become: 'none' });
    const fixture = new ResticFixture(
      base,
      hosts,
      options.host ?? here,
      options.urlOf ?? ((path) => path),
      options.lockPatienceMs ?? 0,
      options.places?.(base) ?? NO_PLACES,
    );
    await mkdir(fixture.directory);
    return fixture;
  }

  /**
   * Creating a repository takes restic over a second, so most are copies of one; `isNew` has the engine create it.
   */
  async #prepare(sourceId: number): Promise<void> {
    if (this.isNew || this.found.has(sourceId)) return;
    const template = join(this.#base, 'template');
    this.#template ??= must('restic', ['init'], {
      env: { RESTIC_PASSWORD: this.secrets.password, RESTIC_REPOSITORY: template },
    });
    await this.#template;
    await cp(template, this.repositoryOf(sourceId), { recursive: true });
    this.found.add(sourceId);
  }

  repositoryOf(sourceId: number): string {
    return join(this.#base, 'repositories', String(sourceId));
  }

  opened(sourceId: number): OpenRepository {
    const url = this.#urlOf(this.repositoryOf(sourceId));
    const initialisedAt = this.found.has(sourceId) ? 1 : null;
    const kind = url.startsWith('/') ? 'local' : url.startsWith('sftp') ? 'sftp' : 'rest';
    return {
      repository: { id: sourceId, name: 'offsite', kind, url, initialisedAt, createdAt: 0 },
      secrets: this.secrets,
      found: async () => void this.found.add(sourceId),
    };
  }

  async write(path: string, content: string | Uint8Array): Promise<void> {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
  }

  remove(path: string): Promise<void> {
    return rm(path, { recursive: true });
  }

  async read(path: string): Promise<string | null> {
    return readFile(path, 'utf8').catch(() => null);
  }

  /** restic stores it encrypted with its overhead. */
  transferred(bytes: number): unknown {
    return expect.toSatisfy((stored: number) => stored > 0 && stored < 10_000 + bytes);
  }

  /** The host with another clock, in seconds: files must be older than that to be trusted. `then` comes before a command. */
  hostAt(clock: number, then: (script: string) => void = () => undefined): RemoteHost {
    return {
      run: (command, options) => {
        then(command.script);
        return this.host.run({ ...command, script: `date() { echo ${clock}; }\n${command.script}` }, options);
      },
      open: (command, options) => this.host.open(command, options),
      release: () => undefined,
    };
  }

  /** restic by hand, on the repository of a source. */
  restic(sourceId: number, ...args: string[]): Promise<string> {
    const env = { RESTIC_PASSWORD: this.secrets.password, RESTIC_REPOSITORY: this.repositoryOf(sourceId) };
    return must('restic', args, { env });
  }

  /** Inverts a byte of the file's one piece in the repository; the new content does not matter. */
  async damage(snapshot: NewSnapshot, path: string): Promise<void> {
    const id = snapshot.sourceId;
    const wanted = createHash('sha256')
      .update(await readFile(path))
      .digest('hex');
    for (const index of (await this.restic(id, 'list', 'index', '-q')).split('\n').filter(Boolean)) {
      const { packs } = Index.parse(JSON.parse(await this.restic(id, 'cat', 'index', index, '-q')));
      for (const pack of packs) {
        const blob = pack.blobs.find((each) => each.id === wanted);
        if (blob)
          await flip(join(this.repositoryOf(id), 'data', pack.id.slice(0, 2), pack.id), blob.offset + 17);
      }
    }
  }

  /** The repository's content, by restic's own names. */
  async inRepository(sourceId: number): Promise<readonly string[]> {
    return readdir(join(this.repositoryOf(sourceId), 'snapshots')).catch(() => []);
  }

  async close(): Promise<void> {
    await this.#hosts.closeAll();
    await rm(this.#base, { recursive: true, force: true });
  }
}

async function flip(file: string, at: number): Promise<void> {
  const handle = await open(file, 'r+');
  try {
    const byte = Buffer.alloc(1);
    await handle.read(byte, 0, 1, at);
    await handle.write(Buffer.from([(byte[0] ?? 0) ^ 0xff]), 0, 1, at);
  } finally {
    await handle.close();
  }
}
