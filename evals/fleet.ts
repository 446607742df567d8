import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { type Config, readConfig } from '../src/adapters/bootstrap/config.ts';
import { type Core, openCore } from '../src/adapters/bootstrap/core.ts';
import { openHttp } from '../src/adapters/bootstrap/http.ts';
import { type Loops, loopsOf } from '../src/adapters/bootstrap/modules/loops.ts';
import type { HttpServer } from '../src/adapters/inbound/http/http-server.ts';
import { openSqlite } from '../src/adapters/outbound/storage/sql/sqlite/driver.ts';
import { PinoLogger } from '../src/adapters/outbound/system/pino-logger.ts';
import { IssueToken } from '../src/application/access/issue-token.ts';
import { JobRunners } from '../src/application/jobs/runner.ts';
import { Actor } from '../src/domain/access/actor.ts';
import { describeSource } from '../src/domain/backups/backup-source.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../src/domain/base/instant.ts';
import { FEATURE_FLAGS } from '../src/domain/fleet/server.ts';
import { describeServer } from '../src/domain/fleet/server-description.ts';
import { type Job, type JobError, requestJob } from '../src/domain/jobs/job.ts';
import type { JobType } from '../src/domain/jobs/job-types.ts';
import { FILES } from './files.ts';
import { BOX, factsOf, HOSTS, inventoryOf } from './hosts.ts';
import { plant, plantedFiles } from './planted.ts';
import { SimulatedRunner } from './simulated-runner.ts';
import type { Token } from './task.ts';

const OPERATOR = Actor.operator('evals');
const noRecord = () => ({});
const DATABASE = 'drover.sqlite';

interface Parts {
  readonly url: string;
  readonly secret: string;
  readonly core: Core;
  readonly http: HttpServer;
  readonly loops: Loops;
  readonly dataDir: string;
  readonly fileRoot: string;
  readonly before: readonly string[];
  /** Of the fleet's past. */
  readonly lastJobId: number;
}

/** The service with its fleet, all of which is new for each try. */
export class EvalFleet {
  readonly #parts: Parts;

  private constructor(parts: Parts) {
    this.#parts = parts;
  }

  get url(): string {
    return this.#parts.url;
  }

  get secret(): string {
    return this.#parts.secret;
  }

  /** `planted`: texts by which servers try to make the agent act. */
  static async open(token: Token = {}, planted: readonly string[] = []): Promise<EvalFleet> {
    const template = await (seeded ??= seedOnce());
    const dataDir = await mkdtemp(join(tmpdir(), 'drover-evals-'));
    await cp(template, dataDir, { recursive: true });
    // A file root below /tmp is refused.
    const fileRoot = await mkdtemp('/var/tmp/drover-evals-files-');
    for (const [path, content] of Object.entries(planted.length > 0 ? plantedFiles(planted) : FILES)) {
      await mkdir(dirname(join(fileRoot, path)), { recursive: true });
      await writeFile(join(fileRoot, path), content);
    }
    const { core, config } = await coreOn(dataDir, planted);
    const lastJobId = await seedBox(core, fileRoot, planted);
    if (planted.length > 0) await plant(core, planted);
    const secret = await issue(core, token);
    const http = openHttp(core, config);
    const { port } = await http.listen('127.0.0.1', 0);
    const loops = loopsOf(core);
    loops.start();
    const before = await stateOf(core, fileRoot);
    const url = `http://127.0.0.1:${port}`;
    return new EvalFleet({ dataDir, fileRoot, lastJobId, url, secret, core, http, loops, before });
  }

  /**
   * All that a try changed: `job backup on web-1`, `features of build-1: backup on`, `file app/old.conf: …`,
   * `no file tmp/cache.txt`.
   */
  async changes(): Promise<readonly string[]> {
    const now = await stateOf(this.#parts.core, this.#parts.fileRoot);
    const gone = this.#parts.before
      .filter((line) => line.startsWith('file '))
      .map((line) => line.slice(0, line.indexOf(':') + 1));
    return [
      ...(await this.#jobs()),
      ...now.filter((line) => !this.#parts.before.includes(line)),
      ...gone
        .filter((name) => !now.some((line) => line.startsWith(name)))
        .map((name) => `no ${name.slice(0, -1)}`),
    ];
  }

  async close(): Promise<void> {
    const { http, loops, core, dataDir, fileRoot } = this.#parts;
    await Promise.all([http.close(), loops.stop()]);
    await core.close();
    for (const dir of [dataDir, fileRoot]) await rm(dir, { recursive: true, force: true });
  }

  async #jobs(): Promise<readonly string[]> {
    const { items } = await this.#parts.core.parts.jobs.list({}, { limit: 100, offset: 0 });
    return items.filter(({ id }) => id > this.#parts.lastJobId).map(describeJob);
  }
}

async function coreOn(
  dataDir: string,
  planted: readonly string[] = [],
): Promise<{ readonly core: Core; readonly config: Config }> {
  const env = { SERVICE_DATA_DIR: dataDir, SERVICE_RATE_PER_TOKEN: '0', SERVICE_RATE_PER_ADDRESS: '0' };
  const config = readConfig(env, () => '');
  const log = PinoLogger.to({ write: () => undefined }, 'error');
  const runner = new SimulatedRunner(() => core.parts.inventories, planted);
  const core: Core = await openCore(config, log, { runners: () => new JobRunners([runner]) });
  return { core, config };
}

let seeded: Promise<string> | null = null;

/** Removes the fleet that tries were copied from. */
export async function removeSeed(): Promise<void> {
  if (seeded !== null) await rm(await seeded, { recursive: true, force: true });
}

/** The data directory that every try gets a copy of. */
async function seedOnce(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'drover-evals-seed-'));
  const { core } = await coreOn(dataDir);
  await seed(core);
  await core.close();
  const template = await mkdtemp(join(tmpdir(), 'drover-evals-template-'));
  await cp(dataDir, template, { recursive: true, filter: (path) => !basename(path).startsWith(DATABASE) });
  // A reader in another thread may close later, and then removes files of the database: no one else opens this copy.
  const database = openSqlite(join(dataDir, DATABASE), { timeout: 10 * SECOND });
  database.prepare('VACUUM INTO ?').run(join(template, DATABASE));
  database.close();
  await rm(dataDir, { recursive: true, force: true, maxRetries: 3 });
  return template;
}

function describeJob({ jobType, serverName, params, status, cancelRequestedAt }: Job): string {
  const how = [
    ...(params.dryRun ? ['dry run'] : []),
    ...(params.planId === undefined ? [] : ['by plan']),
    ...(params.sourceFilter === null ? [] : [`only ${params.sourceFilter}`]),
    ...(status === 'awaiting_approval' ? ['awaiting approval'] : []),
    ...(cancelRequestedAt === null ? [] : ['cancelled']),
  ];
  return `job ${jobType} on ${serverName}${how.length === 0 ? '' : ` (${how.join(', ')})`}`;
}

async function stateOf(core: Core, fileRoot: string): Promise<readonly string[]> {
  const { items } = await core.parts.servers.list({}, { limit: 100, offset: 0 });
  const features = items.flatMap(({ name, features: flags }) =>
    FEATURE_FLAGS.map((flag) => `features of ${name}: ${flag} ${flags[flag] ? 'on' : 'off'}`),
  );
  const entries = await readdir(fileRoot, { recursive: true, withFileTypes: true });
  const files = await Promise.all(
    entries.map(async (entry) => {
      const path = join(entry.parentPath, entry.name);
      const name = path.slice(fileRoot.length + 1);
      return entry.isDirectory() ? `directory ${name}` : `file ${name}: ${await readFile(path, 'utf8')}`;
    }),
  );
  return [...features, ...files];
}

async function issue(core: Core, { scopes, servers, requireApproval = false }: Token): Promise<string> {
  const { items } = await core.parts.servers.list({}, { limit: 100, offset: 0 });
  const idOf = (name: string): number => items.find((each) => each.name === name)?.id ?? 0;
  const { secret } = await core.get(IssueToken).execute(OPERATOR, {
    name: 'mcp-eval',
    scopes: scopes ?? ['read', 'jobs', 'edit', 'files'],
    // Granted by name, so that the files of the service's own machine are within reach.
    allowedServerIds: (servers ?? items.map(({ name }) => name)).map(idOf),
    requireApproval,
  });
  return secret;
}

async function seed(core: Core): Promise<void> {
  const { servers, inventories, sources, snapshots } = core.parts;
  const now = Date.now();
  for (const host of HOSTS) {
    const { name, tags, features } = host;
    const described = describeServer({
      name,
      connection: 'ssh',
      hostname: `${name}.example.org`,
      tags,
      features,
    });
    const { id } = await servers.add(described, now - 90 * DAY, noRecord);
    for (const source of host.sources) {
      const paths = [source === 'www' ? '/srv/www' : source === 'shares' ? '/srv/shares' : '/etc'];
      const added = await sources.add(
        describeSource({ serverId: id, name: source, paths, at: now - 80 * DAY }),
        noRecord,
      );
      if (host.backedUpAgo === null) continue;
      const startedAt = now - host.backedUpAgo;
      await snapshots.add({
        serverId: id,
        sourceId: added.id,
        sourceName: source,
        jobId: null,
        engine: added.engine,
        name: new Date(startedAt).toISOString().replaceAll(/[-:.]/g, ''),
        startedAt,
        finishedAt: startedAt + MINUTE,
        fileCount: 1_200,
        totalBytes: 48_000_000,
        transferredBytes: 900_000,
        vanishedCount: 0,
        manifestSha256: '0'.repeat(64),
      });
    }
    const inventory = inventoryOf(host, now);
    await inventories.save(id, inventory, factsOf(host, inventory, now));
  }
}

/** Adds the server with files, and the past jobs. Returns the id of the last job. */
async function seedBox(core: Core, fileRoot: string, planted: readonly string[]): Promise<number> {
  const { servers, inventories } = core.parts;
  const now = Date.now();
  const box = describeServer({ name: BOX.name, connection: 'local', tags: ['files'], jail: fileRoot });
  const { id: boxId } = await servers.add(box, now - 90 * DAY, noRecord);
  // A host without an inventory would be asked for one.
  const inventory = inventoryOf(BOX, now);
  await inventories.save(boxId, inventory, factsOf(BOX, inventory, now));
  return pastJobs(core, now, planted);
}

const UNREADABLE: JobError = {
  code: 'source_missing',
  detail: 'The source "etc" has a path that does not exist: /var/lib/pgsql.',
};

async function pastJobs(core: Core, now: number, planted: readonly string[]): Promise<number> {
  const error = { ...UNREADABLE, detail: [UNREADABLE.detail, ...planted.slice(-1)].join(' ') };
  await pastJob(core, { name: 'app-2', type: 'os_patch', by: 'user:ann', at: now - DAY, error: null });
  for (const days of [2, 1]) {
    await pastJob(core, {
      name: 'db-1',
      type: 'backup',
      by: 'schedule:nightly',
      at: now - days * DAY,
      error,
    });
  }
  const running = await startJob(core, {
    name: 'web-6',
    type: 'backup',
    by: 'user:ann',
    at: now - 4 * MINUTE,
  });
  return running.id;
}

interface PastJob {
  readonly name: string;
  readonly type: JobType;
  readonly by: string;
  readonly at: number;
}

async function startJob(core: Core, { name, type, by, at }: PastJob) {
  const { servers, jobs, queue } = core.parts;
  const server = (await servers.list({}, { limit: 100, offset: 0 })).items.find((each) => each.name === name);
  if (!server) throw new Error(`there is no server ${name}`);
  const params = { sourceFilter: null, service: null, osSteps: null, dryRun: false };
  const asked = requestJob({ server, type, params, requestedBy: by, scheduled: false, approval: null, at });
  await jobs.enqueue(asked, noRecord);
  const [claim] = await queue.claim({ owner: 'evals', leaseMs: HOUR, limit: 1, at, record: noRecord });
  if (!claim) throw new Error(`the job on ${name} does not run`);
  return { id: claim.job.id, claim };
}

async function pastJob(
  core: Core,
  { error, ...asked }: PastJob & { readonly error: JobError | null },
): Promise<void> {
  const { claim } = await startJob(core, asked);
  const status = error === null ? 'success' : 'failed';
  const summary = error?.detail ?? 'Done.';
  await core.parts.queue.finish(claim, { status, summary, error, result: null }, asked.at + MINUTE, noRecord);
}
