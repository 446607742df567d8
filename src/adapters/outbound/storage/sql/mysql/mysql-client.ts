import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import { connect, type LookupFunction, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import MySql2Client from 'knex/lib/dialects/mysql2/index.js';
import { databaseUnavailable, isLockTimeout, translateFailure } from '../sql-errors.ts';
import { refuseInsideTransaction } from '../transaction-guard.ts';
import type { MysqlHost } from './mysql-url.ts';
import { limitStatements, SESSION, STATEMENT_MS } from './session.ts';

type Answer = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void;
type Resolve = (name: string, options: LookupOptions & { all: true }, answer: Answer) => void;

/**
 * Looks up names of nodes, each one at a time, however many callers there are. Node does lookups in the same few
 * threads as file reads: unanswered lookups, such as for nodes that are switched off, would soon occupy all of them,
 * and no other node would be found.
 */
export class NodeLookup {
  readonly #resolve: Resolve;
  readonly #pending = new Map<string, Answer[]>();

  constructor(resolve: Resolve = lookup) {
    this.#resolve = resolve;
  }

  /** Opens a connection to a node. */
  connect({ host, port }: MysqlHost): Socket {
    const lookupName: LookupFunction = (name, { all }, done) => {
      this.#find(name, (error, addresses) => {
        const [first] = addresses;
        if (all || error || !first) done(error, addresses);
        else done(null, first.address, first.family);
      });
    };
    return connect({ host, port, lookup: lookupName, keepAlive: true, noDelay: true });
  }

  #find(name: string, answer: Answer): void {
    const asking = this.#pending.get(name);
    if (asking) {
      asking.push(answer);
      return;
    }
    const waiting = [answer];
    this.#pending.set(name, waiting);
    this.#resolve(name, { all: true }, (error, addresses) => {
      this.#pending.delete(name);
      for (const each of waiting) each(error, error ? [] : addresses);
    });
  }
}

/** The parts of a mysql2 connection that this service uses. */
interface RawConnection {
  query(sql: string, done: (error: Error | null, rows?: unknown) => void): void;
  destroy(): void;
  __knex__disposed?: unknown;
  /** Of its current transaction. */
  __knexTxId?: string;
  /** The cluster session of this process that it belongs to. */
  epoch?: number;
}

/** Longer than the server's own limit: only silence of the network reaches it. */
const SILENCE_MS = STATEMENT_MS + 10_000;

/** A node that is there answers sooner; one that died without a word does not keep the others from being asked. */
const NODE_CONNECT_MS = 800;
/** So long all nodes are asked in turn: the rest of a cluster needs some seconds to go on without one that died. */
const MAX_SEARCH_MS = 10_000;
const SEARCH_PAUSE_MS = 250;
/** ER_UNKNOWN_COM_ERROR: a node that is not part of the cluster answers so to every statement. */
const NOT_IN_CLUSTER = 1047;

/** The nodes of a cluster, and which one this process uses. A single server is the only node. */
export class Nodes {
  readonly #hosts: readonly MysqlHost[];
  readonly #lookup = new NodeLookup();
  #current = 0;
  #epoch = 0;

  constructor(hosts: readonly MysqlHost[]) {
    this.#hosts = hosts;
  }

  get isCluster(): boolean {
    return this.#hosts.length > 1;
  }

  /** The last working one comes first: a process on one node sees what it has written. */
  inTurn(): readonly MysqlHost[] {
    return [...this.#hosts.slice(this.#current), ...this.#hosts.slice(0, this.#current)];
  }

  connect(host: MysqlHost): Socket {
    return this.#lookup.connect(host);
  }

  works(host: MysqlHost): void {
    this.#current = this.#hosts.indexOf(host);
  }

  /** Existing connections are useless, since this process's node has left the cluster. */
  get epoch(): number {
    return this.#epoch;
  }

  isOver(epoch: number | undefined): void {
    if (epoch === this.#epoch) this.#epoch += 1;
  }
}

/** knex's MySQL dialect with the same session settings on every server, bounded waits, and our error codes. */
export class MySqlClient extends MySql2Client {
  protected get nodes(): Nodes {
    return (this.config as { readonly nodes: Nodes }).nodes;
  }

  override async acquireRawConnection(): Promise<RawConnection> {
    const { nodes } = this;
    if (!nodes.isCluster) return this.connectTo();
    const deadline = Date.now() + MAX_SEARCH_MS;
    for (;;) {
      let failure: unknown;
      for (const node of nodes.inTurn()) {
        try {
          const connection = await this.connectTo(node);
          nodes.works(node);
          return connection;
        } catch (error) {
          failure = error;
        }
      }
      if (Date.now() > deadline) throw failure;
      await sleep(SEARCH_PAUSE_MS);
    }
  }

  protected async connectTo(node?: MysqlHost): Promise<RawConnection> {
    const { epoch } = this.nodes;
    const connection = Object.assign(await this.dial(node), { epoch });
    try {
      for (const statement of SESSION) await run(connection, statement);
      await limitStatements((sql) => run(connection, sql), STATEMENT_MS);
      await joinCluster(connection);
      return connection;
    } catch (error) {
      connection.destroy();
      throw error;
    }
  }

  /** knex reads its settings synchronously, and only then waits. */
  protected dial(node: MysqlHost | undefined): Promise<RawConnection> {
    const settings = this.connectionSettings;
    if (node) this.connectionSettings = settingsFor(node, settings, () => this.nodes.connect(node));
    try {
      return super.acquireRawConnection() as Promise<RawConnection>;
    } finally {
      this.connectionSettings = settings;
    }
  }

  override async validateConnection(connection: RawConnection): Promise<boolean> {
    return connection.epoch === this.nodes.epoch && super.validateConnection(connection);
  }

  override async acquireConnection(): Promise<unknown> {
    refuseInsideTransaction(this);
    try {
      return await super.acquireConnection();
    } catch (error) {
      throw translateFailure(error);
    }
  }

  override query(connection: RawConnection, query: string | { readonly sql: string }): Promise<unknown> {
    return (super.query(connection, query) as Promise<unknown>).catch((error: unknown) => {
      if (connection.__knexTxId === undefined && isRead(query) && isLockTimeout(error))
        throw databaseUnavailable('this node is behind its cluster.', error);
      throw translateFailure(error);
    });
  }

  override async _query(
    connection: RawConnection,
    query: { sql: string; options?: object },
  ): Promise<unknown> {
    query.options = { timeout: SILENCE_MS, ...query.options };
    try {
      return await super._query(connection, query);
    } catch (error) {
      // The driver puts the whole statement there, with all values; some of them are secrets.
      if (error instanceof Error && 'sql' in error) delete error.sql;
      // After a timeout the state of the connection is unknown; a node that was left behind is useless: never used
      // again.
      if (isOutOfCluster(error)) this.nodes.isOver(connection.epoch);
      if (isSilence(error) || isOutOfCluster(error)) {
        connection.__knex__disposed = error;
        connection.destroy();
      }
      throw error;
    }
  }
}

const isRead = (query: string | { readonly sql: string }): boolean =>
  /^\s*select\b/i.test(typeof query === 'string' ? query : query.sql);

/** knex hides the password from enumeration of the settings, and so from `{ ...settings }`. */
const settingsFor = (node: MysqlHost, settings: object, stream: () => Socket): object =>
  Object.assign(Object.defineProperties({}, Object.getOwnPropertyDescriptors(settings)), node, {
    connectTimeout: NODE_CONNECT_MS,
    stream,
  });

const isSilence = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'PROTOCOL_SEQUENCE_TIMEOUT';

const isOutOfCluster = (error: unknown): boolean =>
  error instanceof Error && 'errno' in error && error.errno === NOT_IN_CLUSTER;

/**
 * If the server is a node of a Galera cluster (others lack the variable, or have it off), reads wait until it has
 * everything that any node has acknowledged: replicas may use different nodes. Throws if it cannot work now.
 */
async function joinCluster(connection: RawConnection): Promise<void> {
  const ask = async (sql: string): Promise<string | undefined> =>
    ((await run(connection, sql)) as { Value?: string }[])[0]?.Value;
  if ((await ask("SHOW VARIABLES LIKE 'wsrep_on'")) !== 'ON') return;
  if ((await ask("SHOW STATUS LIKE 'wsrep_ready'")) !== 'ON') {
    throw Object.assign(new Error('this node is not part of the cluster now'), { errno: NOT_IN_CLUSTER });
  }
  await run(connection, 'SET SESSION wsrep_sync_wait = 1');
}

function run(connection: RawConnection, sql: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    connection.query(sql, (error, rows) => (error ? reject(error) : resolve(rows)));
  });
}
