import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FleetHost } from '../fleet/host.ts';
import { type Capability, describeWith } from '../support/capabilities.ts';
import { freshMariaDb } from '../support/mariadb.ts';
import { type JobDetail, RestClient } from '../support/rest-client.ts';
import { rounds } from '../support/rounds.ts';
import { Service } from '../support/service.ts';
import { enrol } from './enrol.ts';

/** The rounds of one kind of trouble, on one host that keeps its state between them. */
export interface Patches {
  /** Waits for a release, so that the trouble always comes during it. */
  readonly isHeld: boolean;
  prepare(): Promise<void>;
  /** Starts a patch and returns it in the middle of its work. */
  begin(rest: RestClient, server: number): Promise<number>;
  /** Lets the work go on to its end. */
  end(rest: RestClient, job: number): Promise<JobDetail>;
  /** Whatever happened to it: it ended correctly, ran once, and the log is complete and in order. */
  expectWhole(job: JobDetail): Promise<void>;
}

export interface TroubledPatch {
  /** As in `a patch`. */
  readonly name: string;
  readonly needs: Capability;
  readonly feature: 'os_patch' | 'docker';
  /** Rounds of each trouble in every run. */
  readonly shortRounds: number;
  readonly useHost: () => () => FleetHost;
  readonly patchesOn: (host: () => FleetHost) => Patches;
  /** What the service has to know about the server besides. */
  readonly onEnrolled?: (service: Service, host: FleetHost) => Promise<void>;
  /** Other things that can happen to it. */
  readonly also?: (patches: Patches, scene: () => { rest: RestClient; id: number }) => void;
}

const TAKEN_UP = 'Resuming the work that continues on the host.';

/** Troubles of a patch's worker, again and again. */
export function patchTroubles(patch: TroubledPatch): void {
  describeWith(patch.needs, patch.name, () => {
    describe('of a service with a separate database', () => ownService(patch));
  });
  describeWith([patch.needs, 'mariadb'], `${patch.name} whose replica is killed`, () => replicas(patch));
}

function ownService({ feature, shortRounds, useHost, patchesOn, onEnrolled, also }: TroubledPatch): void {
  const host = useHost();
  const patches = patchesOn(host);
  let service: Service;
  let rest: RestClient;
  let id: number;
  beforeAll(async () => {
    service = await Service.start();
    await patches.prepare();
    rest = new RestClient(service.url, await service.token());
    id = await enrol(service, host(), 'web', { options: ['--features', `${feature}=on`] });
    await onEnrolled?.(service, host());
    return () => service.remove();
  });

  const cuts = rounds(shortRounds, 20);
  it(`outlives a connection that is cut, ${cuts} times of ${cuts}`, async () => {
    for (let round = 0; round < cuts; round += 1) {
      const job = await patches.begin(rest, id);
      await host().killConnections();
      await patches.expectWhole(await patches.end(rest, job));
    }
  });

  also?.(patches, () => ({ rest, id }));

  const kills = rounds(shortRounds, 20);
  it(`outlives a service that is killed and restarted, ${kills} times of ${kills}`, async () => {
    for (let round = 0; round < kills; round += 1) {
      const job = await patches.begin(rest, id);
      await service.kill9();
      await service.start();
      const ended = await patches.end(rest, job);
      if (patches.isHeld) expect(ended.log_lines?.join('\n')).toContain(TAKEN_UP);
      await patches.expectWhole(ended);
    }
  });
}

function replicas({ feature, useHost, shortRounds, patchesOn, onEnrolled }: TroubledPatch): void {
  const host = useHost();
  const patches = patchesOn(host);
  const both: Service[] = [];
  let id: number;
  let token: string;
  let drop: () => Promise<void>;
  beforeAll(async () => {
    const database = await freshMariaDb();
    drop = database.drop;
    const settings = {
      SERVICE_DATABASE_URL: database.url,
      SERVICE_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    };
    const first = await Service.start({ settings });
    both.push(first, await Service.prepare({ settings }));
    await patches.prepare();
    token = await first.token();
    id = await enrol(first, host(), 'web', { options: ['--features', `${feature}=on`] });
    await onEnrolled?.(first, host());
  });
  afterAll(async () => {
    await Promise.all(both.map((replica) => replica.remove()));
    await drop();
  });

  const takeovers = rounds(shortRounds, 20);
  it(`is taken over by another, ${takeovers} times of ${takeovers}`, async () => {
    for (let round = 0; round < takeovers; round += 1) {
      const [busy, idle] = round % 2 === 0 ? both : both.toReversed();
      if (!busy || !idle) throw new Error('there are two');
      const job = await patches.begin(new RestClient(busy.url, token), id);
      await idle.start();
      await busy.kill9();
      const ended = await patches.end(new RestClient(idle.url, token), job);
      if (patches.isHeld) expect(ended.log_lines?.join('\n')).toContain(TAKEN_UP);
      await patches.expectWhole(ended);
    }
  });
}
