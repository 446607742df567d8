import { Actor } from '../domain/actor.ts';
import { auditEntry } from '../domain/audit-entry.ts';
import { DEFAULT_RETENTION } from '../domain/retention-policy.ts';
import type { Server } from '../domain/server.ts';
import { describeServer } from '../domain/server-description.ts';
import type { Clock } from './ports/clock.ts';
import type { ServerStore } from './ports/server-store.ts';
import type { ServiceData } from './ports/service-data.ts';
import type { SettingStore } from './ports/setting-store.ts';
import type { SourceStore } from './ports/source-store.ts';

const ENROLLED = 'this_machine_enrolled';

/**
 * On the first start, takes the machine that the service runs on into the fleet, with one backup source: the service's
 * own data. Later starts change nothing, even where an operator removed it.
 */
export class EnrolThisMachine {
  readonly #servers: ServerStore;
  readonly #sources: SourceStore;
  readonly #settings: SettingStore;
  readonly #serviceData: ServiceData;
  readonly #clock: Clock;
  readonly #machineName: string;

  constructor(deps: {
    servers: ServerStore;
    sources: SourceStore;
    settings: SettingStore;
    serviceData: ServiceData;
    clock: Clock;
    machineName: string;
  }) {
    this.#servers = deps.servers;
    this.#sources = deps.sources;
    this.#settings = deps.settings;
    this.#serviceData = deps.serviceData;
    this.#clock = deps.clock;
    this.#machineName = deps.machineName;
  }

  /** The server, where this start enrolled it; `null` where an earlier one did. */
  async execute(): Promise<Server | null> {
    const at = this.#clock.now();
    if (!(await this.#settings.setOnce(ENROLLED, new Date(at).toISOString()))) return null;
    const firstStart = Actor.system('first start');
    const server = await this.#servers.add(
      describeServer({ name: this.#usableName(), connection: 'local', features: { backup: true } }),
      at,
      (added) => ({
        audit: [auditEntry(firstStart, at, 'server.add', `server:${added.id}`, { name: added.name })],
      }),
    );
    await this.#sources.add(
      {
        serverId: server.id,
        name: 'drover',
        paths: [this.#serviceData.directory],
        excludes: [],
        kind: 'service',
        retention: DEFAULT_RETENTION,
        createdAt: at,
      },
      (source) => ({
        audit: [auditEntry(firstStart, at, 'source.add', `source:${source.id}`, { name: source.name })],
      }),
    );
    return server;
  }

  #usableName(): string {
    const name = this.#machineName
      .replace(/[^A-Za-z0-9._-]/g, '-')
      .replace(/^[^A-Za-z0-9]+/, '')
      .slice(0, 63);
    return name === '' ? 'this-machine' : name;
  }
}
