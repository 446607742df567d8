import { describe, expect, it } from 'vitest';
import { type HostHealth, worsenings } from '../../../src/domain/fleet/host-health.ts';

const port = (address: string, number: number) => ({ protocol: 'tcp', address, port: number }) as const;
const health = (found: Partial<HostHealth>): HostHealth => ({
  failedUnits: [],
  ports: [],
  checks: [],
  ...found,
});
const names = (before: Partial<HostHealth>, after: Partial<HostHealth>, checks: readonly string[] = []) =>
  worsenings(health(before), health(after), checks).map(({ kind, name }) => `${kind} ${name}`);

describe('what is worse than before', () => {
  it('is a unit that failed since', () => {
    expect(names({ failedUnits: ['a', 'b'] }, { failedUnits: ['b', 'c'] })).toEqual(['unit c']);
  });

  it('is a port that is closed, unless a socket for all addresses replaces it', () => {
    const before = { ports: [port('127.0.0.1', 25), port('0.0.0.0', 80), port('[::1]', 81)] };
    const after = { ports: [port('[::]', 80), port('0.0.0.0', 81)] };
    expect(names(before, after)).toEqual(['port tcp 127.0.0.1:25']);
  });

  it('is a port that only the machine itself can reach from now on', () => {
    expect(names({ ports: [port('0.0.0.0', 80)] }, { ports: [port('127.0.0.1', 80)] })).toHaveLength(1);
  });

  it('is no port that the kernel handed out', () => {
    expect(names({ ports: [port('0.0.0.0', 40_000)] }, {})).toEqual([]);
  });

  it('is a check that passed before', () => {
    expect(names({ checks: [null, 'no'] }, { checks: ['no', 'no'] }, ['tcp 1', 'tcp 2'])).toEqual([
      'check tcp 1',
    ]);
  });
});
