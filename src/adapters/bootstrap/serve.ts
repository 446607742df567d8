import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import type { Logger } from '../../application/ports/logger.ts';
import { SECOND } from '../../domain/instant.ts';
import type { HttpServer } from '../http/http-server.ts';
import type { Config } from './config.ts';
import { type Core, openCore } from './core.ts';
import { openHttp } from './http.ts';
import { LOOPS, USE_CASES } from './tokens.ts';
import { LOCAL_ONLY, welcome } from './welcome.ts';

/** How long a stop waits for requests and jobs before it goes on without them. */
const DRAIN_MS = 30 * SECOND;

/**
 * How far the heap may grow beyond what is in use before it is cleared, in percent. Left to itself V8 lets it grow to three
 * times that under load: 40 MiB more, in exchange for some milliseconds every 50,000 requests.
 */
const HEAP_GROWTH = 50;

/** Runs the service until it is told to stop by SIGINT or SIGTERM. Returns the exit code. */
export async function serve(config: Config, log: Logger, say: (text: string) => void): Promise<number> {
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH}`);
  for (const warning of config.warnings) log.warn(warning);
  const stopped = stopSignal();
  const core = await openCore(config, log);
  try {
    const enrolled = await core.container.get(USE_CASES.enrolThisMachine).execute();
    await core.container.get(USE_CASES.applyEnvironmentWebhook).execute();
    await core.container.get(USE_CASES.managePush).publicKey();
    const http = openHttp(core.container, config);
    const setUp = await core.container.get(USE_CASES.offerSetup).execute();
    const host = config.host ?? (setUp === null ? null : LOCAL_ONLY);
    const { port } = await listen(http, host, config);
    startLoops(core);
    say(welcome(config, { host, port, enrolled, setUp }));
    const signal = await stopped;
    log.info('stopping', { signal });
    await Promise.race([Promise.all([http.close(), stopLoops(core)]), deadline(log)]);
    log.info('stopped');
    return 0;
  } finally {
    await core.close();
  }
}

async function listen(http: HttpServer, host: string | null, config: Config): Promise<AddressInfo> {
  try {
    return await http.listen(host, config.httpPort);
  } catch (error) {
    const place = host === null ? `Port ${config.httpPort}` : `${host}:${config.httpPort}`;
    const why: Readonly<Record<string, string>> = {
      EADDRINUSE: `${place} is taken by another program: end that one, or set SERVICE_HTTP_PORT to another port.`,
      EADDRNOTAVAIL: `${host} is no address of this machine: set SERVICE_HOST to one that is, or to 0.0.0.0 for all.`,
      EACCES: `This user may not listen on ${place}: set SERVICE_HTTP_PORT to a port from 1024 up.`,
    };
    const sentence = why[(error as NodeJS.ErrnoException).code ?? ''];
    throw sentence === undefined ? error : new Error(sentence, { cause: error });
  }
}

function startLoops(core: Core): void {
  core.container.get(LOOPS.housekeeping).start();
  core.container.get(LOOPS.jobLoop).start();
  core.container.get(LOOPS.dispatcher).start();
  core.container.get(LOOPS.messenger).start();
}

async function stopLoops(core: Core): Promise<void> {
  await core.container.get(LOOPS.dispatcher).stop();
  await core.container.get(LOOPS.jobLoop).stop();
  await core.container.get(LOOPS.messenger).stop();
  await core.container.get(LOOPS.housekeeping).stop();
}

/** Listened for from the very start, so that a stop during a long migration counts too. A second signal ends at once. */
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
  log.warn('some work did not let go in time; its leases run out by themselves');
}
