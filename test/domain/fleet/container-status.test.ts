import { describe, expect, it } from 'vitest';
import { containerStatus } from '../../../src/domain/fleet/container-status.ts';

describe('The status of a container', () => {
  it.each([
    ['running', 'Up 3 days', 'running', null, '3 days'],
    ['running', 'Up 3 days (healthy)', 'running', 'healthy', '3 days'],
    ['running', 'Up About an hour (unhealthy)', 'running', 'unhealthy', 'About an hour'],
    ['running', 'Up 5 seconds (health: starting)', 'running', 'starting', '5 seconds'],
    ['running', 'Up 5 seconds (starting)', 'running', 'starting', '5 seconds'],
    ['running', 'Up 2 hours ago', 'running', null, '2 hours'],
    ['paused', 'Up 2 hours (Paused)', 'paused', null, '2 hours'],
    ['exited', 'Exited (137) 3 days ago', 'exited (137)', null, '3 days ago'],
    ['stopped', 'exited (2)', 'stopped (2)', null, null],
    ['restarting', 'Restarting (1) 5 seconds ago', 'restarting (1)', null, '5 seconds ago'],
    ['created', 'Created', 'created', null, null],
    ['removing', 'Removal In Progress', 'removing', null, null],
    ['running', 'Up (healthy) (healthy) (', 'running', null, null],
    ['configured', '', 'configured', null, null],
  ])('%s, %s', (state, status, word, health, since) => {
    expect(containerStatus({ state, status })).toEqual({ word, health, since });
  });
});
