import { once } from 'node:events';
import { realpathSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { delimiter, join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { OfferSetup } from '../../application/access/account-links.ts';
import { ApplyEnvironmentWebhook } from '../../application/events/apply-environment-webhook.ts';
import { ManagePush } from '../../application/events/manage-push.ts';
import { EnrolThisMachine } from '../../application/fleet/enrol-this-machine.ts';
import type { Logger } from '../../application/ports/base/logger.ts';
import { isLoopback } from '../../domain/access/served-hosts.ts';
import { SECOND } from '../../domain/base/instant.ts';
import { shellWord } from '../../domain/base/shell-command.ts';
import type { HttpServer } from '../inbound/http/http-server.ts';
import type { TlsIdentity } from '../inbound/http/listeners.ts';
import { BadKeyPair } from '../outbound/tls/key-pair.ts';
import { WatchedKeyPair } from '../outbound/tls/watched-key-pair.ts';
import type { Config } from './config.ts';
import { VARIABLES } from './config-variables.ts';
import { type Core, openCore } from './core.ts';
import { type Demo, demoWelcome, openDemo } from './demo.ts';
import { openHttp } from './http.ts';
import { type Loops, loopsOf } from './modules/loops.ts';
import { ConfigurationError } from './read-variables.ts';
import { CLI_PROGRAM } from './version.ts';
import { LOCAL_ONLY, type StartReport, welcome } from './welcome.ts';

/**
 * How far the heap may grow beyond its used size before garbage collection, in percent. By default V8 lets it grow to
 * three times that under load: 40 MiB more, which saves only some milliseconds every 50,000 requests.
 */
const HEAP_GROWTH = 50;

/** For the service's process. Call it at its start. */
export const boundHeap = (): void => setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH}`);

/** How long a stop waits for requests and jobs before it goes on without them. */
const DRAIN_MS = 30 * SECOND;

/** Runs the service until SIGINT or SIGTERM. Returns the exit code. */
export async function serve(asked: Config, log: Logger, say: (text: string) => void): Promise<number> {
  boundHeap();
  for (const warning of asked.warnings) log.warn(warning);
  const stopped = stopSignal();
  if (!asked.demo) return run(asked, { log, say, stopped, demo: null });
  const demo = await openDemo(asked);
  try {
    return await run(demo.config, { log, say, stopped, demo });
  } finally {
    await demo.remove();
  }
}

interface Run {
  readonly log: Logger;
  readonly say: (text: string) => void;
  /** The signal that ends it. */
  readonly stopped: Promise<string>;
  readonly demo: Demo | null;
}

async function run(config: Config, { log, say, stopped, demo }: Run): Promise<number> {
  const identity = await openIdentity(config, log);
  const core = await openCore(config, log, demo ?? {});
  try {
    const { environmentProvider } = core.parts;
    if (environmentProvider !== null)
      log.info('single sign-on', { issuer: environmentProvider.settings.issuer });
    const shown = demo ? await show(demo, core, log) : null;
    const { enrolled, setUp } = shown ? { enrolled: null, setUp: null } : await firstSteps(core);
    const http = openHttp(core, config, shown);
    const port = await listenPlainly(http, config, log);
    const securePort = identity === null ? null : await listenSecurely(http, config, identity);
    const loops = shown ? shown.loops : started(loopsOf(core));
    const command = ownCommand(CLI_PROGRAM, process.env['PATH']);
    say(shown ? demoWelcome(port) : welcome(config, { port, securePort, enrolled, setUp, command }));
    const signal = await stopped;
    log.info('stopping', { signal });
    await Promise.race([Promise.all([http.close(), loops.stop(), shown?.sessions.close()]), deadline(log)]);
    log.info('stopped');
    return 0;
  } finally {
    await core.close();
    await identity?.close();
  }
}

/** The demo's content, its visitors, and its jobs. */
async function show(demo: Demo, core: Core, log: Logger) {
  const guest = await demo.seed(core);
  return { guest, sessions: demo.sessions(core, guest, log), loops: demo.start(core) };
}

function started(loops: Loops): Loops {
  loops.start();
  return loops;
}

/** Work of a start: this machine as a server, the webhook of the environment, keys, a first account. */
async function firstSteps(core: Core): Promise<Pick<StartReport, 'enrolled' | 'setUp'>> {
  const enrolled = await core.get(EnrolThisMachine).execute();
  await core.get(ApplyEnvironmentWebhook).execute();
  await core.get(ManagePush).publicKey();
  return { enrolled, setUp: await core.get(OfferSetup).execute() };
}

/** Throws `ConfigurationError` for an invalid certificate or key. */
async function openIdentity({ tls }: Config, log: Logger): Promise<WatchedKeyPair | null> {
  if (tls === null) return null;
  try {
    const identity = await WatchedKeyPair.open(tls, log);
    const { endsAt } = identity.current;
    if (endsAt.getTime() < Date.now())
      log.warn('the certificate has expired', { endsAt: endsAt.toISOString() });
    return identity;
  } catch (error) {
    if (!(error instanceof BadKeyPair)) throw error;
    const { name, example } = error.file === 'certPath' ? VARIABLES.tlsCert : VARIABLES.tlsKey;
    throw new ConfigurationError([{ name, detail: `${error.message}. Example: ${name}=${example}` }]);
  }
}

/** In the clear only this machine gets in, unless an operator named another address. */
async function listenPlainly(
  http: HttpServer,
  { host, httpPort, metricsToken }: Config,
  log: Logger,
): Promise<number> {
  const listening = http.listen(host ?? LOCAL_ONLY, httpPort);
  const { address, port } = await reported(listening, host ?? LOCAL_ONLY, httpPort, 'SERVICE_HTTP_PORT');
  if (metricsToken === null && !isLoopback(address)) {
    log.warn('other machines get no metrics over plain HTTP: set METRICS_TOKEN, or let them use HTTPS');
  }
  return port;
}

/** On all addresses, unless an operator named one. */
async function listenSecurely(
  http: HttpServer,
  { host, httpsPort, hstsDays }: Config,
  identity: WatchedKeyPair,
): Promise<number> {
  const tls: TlsIdentity = {
    get current() {
      return identity.current;
    },
    onChange: (listener) => identity.onChange(listener),
    hstsDays,
  };
  const listening = http.listenSecurely(host, httpsPort, tls);
  return (await reported(listening, host, httpsPort, 'SERVICE_HTTPS_PORT')).port;
}

/** Explains errors of the operating system. */
async function reported(
  listening: Promise<AddressInfo>,
  host: string | null,
  port: number,
  variable: string,
): Promise<AddressInfo> {
  try {
    return await listening;
  } catch (error) {
    const place = host === null ? `Port ${port}` : `${host}:${port}`;
    const why: Readonly<Record<string, string>> = {
      EADDRINUSE: `${place} is used by another program: stop it, or set ${variable} to another port.`,
      EADDRNOTAVAIL: `${host} is not an address of this machine: set SERVICE_HOST to one that is, or to 0.0.0.0 for all.`,
      EACCES: `This user may not listen on ${place}: set ${variable} to a port from 1024 up.`,
    };
    const sentence = why[(error as NodeJS.ErrnoException).code ?? ''];
    throw sentence === undefined ? error : new Error(sentence, { cause: error });
  }
}

/**
 * Registered first, so that a stop during a long migration counts too. A second signal ends the process immediately.
 */
async function stopSignal(): Promise<string> {
  const name = await Promise.race(
    (['SIGINT', 'SIGTERM'] as const).map(async (signal) => {
      await once(process, signal);
      return signal;
    }),
  );
  for (const again of ['SIGINT', 'SIGTERM'] as const) process.once(again, () => process.exit(1));
  return name;
}

async function deadline(log: Logger): Promise<void> {
  await new Promise((resolve) => {
    setTimeout(resolve, DRAIN_MS).unref();
  });
  log.warn('some work did not stop in time; its leases expire');
}

/**
 * How users call this program: `drover` if their shell finds it, else its path. Not `npx drover`: outside the
 * checkout npx would download a package of that name.
 */
export function ownCommand(program: string, searched: string | undefined): string {
  const own = resolved(program);
  const found = (searched ?? '')
    .split(delimiter)
    .filter((directory) => directory !== '')
    .map((directory) => resolved(join(directory, 'drover')))
    .find((path) => path !== null);
  return found !== undefined && found === own ? 'drover' : shellWord(program);
}

function resolved(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}
