import { DEFAULT_SSH_OPTIONS } from '../../src/adapters/outbound/hosts/ssh/ssh-options.ts';
import type { Latency } from '../../test/support/simulated-hosts.ts';
import type { Alone } from './hosts-alone.ts';

/**
 * For a host on the same machine, alone: medians of `hostsAlone` without other load, for machines that cannot run
 * such hosts. In milliseconds.
 */
export const ALONE_ONCE: Alone = { connect: 30, facts: 100, check: 250, both: 340, state: 60 };
/** rsync over SSH of 20,000 files that have not changed, as the bench `backup` has it. In milliseconds. */
export const UNCHANGED_BACKUP = 1_000;

/** The composition of the fleet; not based on measurements. */
export const FLEET = {
  /** Between the service and a host, and between a host and its package mirror. */
  medianRoundTripMs: 15,
  /** Of the logarithm of each time: 95 % are within a third and the triple of the median. */
  spread: 0.55,
  slowShare: 0.02,
  slowTimes: 10,
  deadShare: 0.01,
} as const;

/** Network round trips: TCP, versions, key exchange and login; a channel, its command and its answer; apt's HTTP. */
const TRIPS = { connect: 7, command: 3, refresh: 12 };

/** Draws each server's latencies; the same for the same id in every run. */
export function latencies(alone: Alone): (serverId: number) => Latency {
  const drawn = new Map<number, Latency>();
  return (serverId) => {
    const known = drawn.get(serverId);
    if (known) return known;
    const latency = draw(alone, numbers(serverId));
    drawn.set(serverId, latency);
    return latency;
  };
}

function draw(alone: Alone, next: () => number): Latency {
  const kind = next();
  if (kind < FLEET.deadShare) {
    const connect = DEFAULT_SSH_OPTIONS.connectTimeoutMs;
    return { connect, facts: 0, check: 0, both: 0, state: 0, backup: 0, isDead: true };
  }
  const pace = kind < FLEET.deadShare + FLEET.slowShare ? FLEET.slowTimes : 1;
  const around = (median: number): number => median * Math.exp(FLEET.spread * gauss(next));
  const trip = around(FLEET.medianRoundTripMs);
  const of = (median: number, trips: number): number => Math.round(pace * (around(median) + trips * trip));
  return {
    connect: of(alone.connect, TRIPS.connect),
    facts: of(alone.facts, TRIPS.command),
    check: of(alone.check, TRIPS.command + TRIPS.refresh),
    both: of(alone.both, TRIPS.command + TRIPS.refresh),
    state: of(alone.state, TRIPS.command),
    backup: of(UNCHANGED_BACKUP, 2 * TRIPS.command),
    isDead: false,
  };
}

/** Box and Muller's. */
const gauss = (next: () => number): number =>
  Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());

/** From 0 to below 1 (mulberry32). */
function numbers(seed: number): () => number {
  let state = seed * 0x9e3779b1;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let value = Math.imul(state ^ (state >>> 15), state | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}
