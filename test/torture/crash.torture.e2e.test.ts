import { setTimeout as sleep } from 'node:timers/promises';
import mysql from 'mysql2/promise';
import { describeWith } from '../support/capabilities.ts';
import { GaleraCluster } from '../support/galera.ts';
import { startMariaDb } from '../support/mariadb-server.ts';
import { rounds, TORTURE } from '../support/rounds.ts';
import { together } from './crash-load.ts';
import { anyOf, type Blow, type CrashScene, type Ground, survives } from './crash-scene.ts';

const REPLICAS = 3;
const HOSTS = rounds(2, 3);
const JOBS = rounds(24, 504);
/** Longer than a worker's lease, so that its work is taken over while it still believes that it owns it. */
const PAUSE_MS = 35_000;

/** A database that can be killed, and comes back. */
interface Mortal extends Ground {
  readonly kill: Blow;
}

async function oneMariaDb(): Promise<Mortal> {
  const server = await startMariaDb({ durable: true });
  const connection = await mysql.createConnection({ uri: server.origin });
  await connection.query('CREATE DATABASE drover');
  await connection.end();
  return {
    url: `${server.origin}/drover`,
    kill: async (random) => {
      await server.kill9();
      await sleep(random * 1_500);
      await server.start();
    },
    stop: () => server.stop(),
  };
}

/** Whichever node dies, the replicas go on at the others, and it joins again. */
async function galera(): Promise<Mortal> {
  const nodes = [0, 1, 2];
  const cluster = await GaleraCluster.start();
  return {
    url: cluster.url(...nodes),
    kill: async (random) => {
      const node = anyOf(nodes, random);
      await cluster.kill9(node);
      await sleep(random * 10_000);
      await cluster.start(node);
    },
    stop: () => cluster.stop(),
  };
}

async function strike({ replicas, hosts, ground, load, blows }: CrashScene<Mortal>): Promise<void> {
  let paused: object | null = null;
  const all = {
    kill: async (random: number) => {
      const replica = anyOf(
        replicas.filter((each) => each !== paused),
        random,
      );
      await replica.kill9();
      await sleep(random * 2_000);
      await replica.start();
    },
    pause: async (random: number) => {
      const replica = anyOf(replicas, random);
      paused = replica;
      replica.process.signal('SIGSTOP');
      await sleep(PAUSE_MS);
      replica.process.signal('SIGCONT');
      paused = null;
    },
    killDatabase: (random: number) => ground.kill(random),
    cutHost: (random: number) => anyOf(hosts, random).killConnections(),
  };
  const names = Object.keys(all) as (keyof typeof all)[];
  const often = ['kill', 'kill', 'cutHost', 'cutHost', 'killDatabase'] as const;
  const hit = async (name: keyof typeof all): Promise<void> => {
    await all[name](Math.random());
    blows[name] = (blows[name] ?? 0) + 1;
    await sleep(500 + Math.random() * 2_500);
  };
  /** First all the others while one replica is halted, so that a short run has them all, then any: a long run also halts more. */
  const blowsFall = async (): Promise<void> => {
    const halted = hit('pause');
    for (const name of names) if (name !== 'pause') await hit(name);
    await halted;
    while (load.isDriving) {
      await hit(anyOf(TORTURE ? [...often, ...names] : often, Math.random()));
    }
  };
  await together(
    load.drive((own) => own >= JOBS / load.scripts),
    blowsFall(),
  );
}

const survivesOn = (makeGround: () => Promise<Mortal>): void =>
  survives({ replicas: REPLICAS, hosts: HOSTS, leastDone: 1 / 2, makeGround }, strike);

describeWith(
  ['fleet', 'rsync', 'mariadb'],
  `${REPLICAS} replicas on one MariaDB, all of which may die, ${JOBS} jobs`,
  () => survivesOn(oneMariaDb),
);
// Nodes that come back take long.
if (TORTURE) {
  describeWith(
    ['fleet', 'rsync', 'galera'],
    `${REPLICAS} replicas on a Galera cluster, all of which may die, ${JOBS} jobs`,
    () => survivesOn(galera),
  );
}
