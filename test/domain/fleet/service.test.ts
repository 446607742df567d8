import { describe, expect, it } from 'vitest';
import { MAX_SERVICES, servicesOf } from '../../../src/domain/fleet/service.ts';
import { containerOf, inventoryOf } from '../../support/inventories.ts';
import { AT } from '../../support/stores-subject.ts';

describe('the state of a container', () => {
  it.each([
    ['running', 'Up 2 hours', 'ok'],
    ['running', 'Up 2 hours (healthy)', 'ok'],
    ['running', 'Up 5 seconds (health: starting)', 'ok'],
    ['running', 'Up 2 hours (unhealthy)', 'failed'],
    ['running', 'Up 2 hours (Paused)', 'ok'],
    ['paused', 'Up 2 hours (Paused)', 'stopped'],
    ['restarting', 'Restarting (1) 5 seconds ago', 'failed'],
    ['dead', 'Dead', 'failed'],
    ['created', 'Created', 'stopped'],
    ['configured', '', 'stopped'],
    ['exited', 'Exited (0) 3 days ago', 'stopped'],
    ['exited', 'Exited (143) 3 days ago', 'stopped'],
    ['exited', 'Exited (130) 3 days ago', 'stopped'],
    ['exited', 'Exited (137) 3 days ago', 'failed'],
    ['exited', 'Exited (1) 3 days ago', 'failed'],
    ['stopped', 'exited (2)', 'failed'],
    ['removing', 'Removal In Progress', 'stopped'],
    ['unknown', '', 'unknown'],
    ['thinking', 'Hm', 'unknown'],
    ['', '', 'unknown'],
  ])('%s, %s: %s', (state, status, expected) => {
    const [service] = servicesOf(inventoryOf({ containers: [containerOf({ state, status })] }));
    expect(service).toMatchObject({ state: expected, message: status || state, checkedAt: AT });
  });
});

describe('the services of a host', () => {
  it('are bounded in number and length, worst first', () => {
    const containers = Array.from({ length: 1_000 }, (_, index) =>
      containerOf({ name: `${'x'.repeat(500)}${index}`.slice(-300), status: 'y\n'.repeat(1_000) }),
    );
    const failedUnits = Array.from({ length: 200 }, (_, index) => ({
      name: `u-${index}`,
      description: 'z'.repeat(5_000),
    }));
    const services = servicesOf(inventoryOf({ containers, failedUnits }));
    // The containers' names differ only after the part that is kept.
    expect(services).toHaveLength(201);
    expect(services.slice(0, 200).every(({ state }) => state === 'failed')).toBe(true);
    for (const { label, message } of services) {
      expect(label.length).toBeLessThanOrEqual(200);
      expect(message).toMatch(/^[^\n]{1,200}$/);
    }
    const many = servicesOf(
      inventoryOf({
        failedUnits,
        containers: containers.map((each, index) => ({ ...each, name: String(index) })),
      }),
    );
    expect(many).toHaveLength(MAX_SERVICES);
    expect(many.filter(({ kind }) => kind === 'unit')).toHaveLength(200);
  });

  it('name each once, the first of several', () => {
    const twice = ['Up 1 day', 'Up 2 days'].map((status) => containerOf({ status }));
    expect(servicesOf(inventoryOf({ containers: twice })).map(({ message }) => message)).toEqual([
      'Up 1 day',
    ]);
  });

  it('stay as unknown if the host does not report their kind, and go if it has no engine', () => {
    const before = servicesOf(
      inventoryOf({ containers: [containerOf()], failedUnits: [{ name: 'x.service', description: 'X' }] }),
    );
    const silent = servicesOf(inventoryOf({ at: AT + 9, containers: null, failedUnits: null }), before);
    expect(silent.map(({ state, checkedAt }) => [state, checkedAt])).toEqual([
      ['unknown', AT],
      ['unknown', AT],
    ]);
    const without = inventoryOf({ containers: null, containerEngine: null, failedUnits: [] });
    expect(servicesOf(without, before)).toEqual([]);
  });
});
