import { describe, expect, test } from 'vitest';
import { Actor } from '../../../src/domain/access/actor.ts';
import type { Role } from '../../../src/domain/access/role.ts';
import { actorOfUser } from '../../../src/domain/access/user.ts';
import { type ErrorCode, isDomainError } from '../../../src/domain/base/errors.ts';
import {
  controlOf,
  isOwnMachine,
  needsControl,
  requireConfirmedForLater,
  requireControl,
  requireControlOfService,
} from '../../../src/domain/fleet/own-machine.ts';
import { JOB_TYPES } from '../../../src/domain/jobs/job-types.ts';
import { tokenActor } from '../../support/application-scene.ts';

const person = (role: Role, confirmed: boolean): Actor =>
  actorOfUser(
    {
      id: 3,
      name: 'ann',
      role,
      tagRoles: [],
      serverRoles: new Map(),
      hasPassword: true,
      hasTotp: false,
      passkeys: 0,
      issuer: null,
      createdBy: 'cli:root',
      createdAt: 0,
      lastLoginAt: null,
      disabledAt: null,
    },
    null,
    confirmed,
  );

/** The code of a refusal, or `null`. */
function codeOf(work: () => void): ErrorCode | null {
  try {
    work();
    return null;
  } catch (error) {
    if (isDomainError(error)) return error.code;
    throw error;
  }
}

const machine = (connection: 'local' | 'ssh', hostname = 'web.example.org') => ({
  id: 7,
  name: 'web',
  address: { connection, hostname },
});

describe("The service's own machine", () => {
  test.each([
    'localhost',
    'LOCALHOST',
    'drover.localhost',
    '127.0.0.1',
    '127.1.2.3',
    '127.1',
    '0',
    '0.0.0.0',
    '2130706433',
    '0x7f000001',
    '::1',
    '::',
    '0:0:0:0:0:0:0:1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    'ip6-localhost',
  ])('is what is reached over SSH at %s', (hostname) => {
    expect(isOwnMachine(machine('ssh', hostname).address)).toBe(true);
  });

  test.each([
    'web.example.org',
    '10.0.0.1',
    '192.0.2.127',
    'localhost.example.org',
    '2001:db8::1',
    '128.0.0.1',
  ])('is not said to be at %s', (hostname) =>
    expect(isOwnMachine(machine('ssh', hostname).address)).toBe(false),
  );

  test('is the one of kind local, whatever its address says', () => {
    expect(isOwnMachine(machine('local').address)).toBe(true);
  });
});

describe('Control of it', () => {
  test.each([
    ['the person at the command line', Actor.operator('cli:root'), 'held'],
    ['an administrator who gave the password', person('administrator', true), 'held'],
    ['an administrator who did not', person('administrator', false), 'unconfirmed'],
    ['an operator', person('operator', true), 'missing'],
    ['a viewer', person('viewer', true), 'missing'],
    ['the service itself', Actor.system('schedule nightly'), 'missing'],
    ['a token for all servers', tokenActor({ serversGranted: true }), 'missing'],
    ['a token whose servers nobody granted', tokenActor({ serverIds: new Set([7]) }), 'missing'],
    ['a token for another', tokenActor({ serverIds: new Set([8]), serversGranted: true }), 'missing'],
    [
      'a token that was given it by name',
      tokenActor({ serverIds: new Set([7]), serversGranted: true }),
      'held',
    ],
  ] as const)('of %s', (_, actor, control) => {
    expect(controlOf(actor, 7)).toBe(control);
    const code = { held: null, unconfirmed: 'confirmation_needed', missing: 'own_machine_restricted' }[
      control
    ];
    expect(codeOf(() => requireControl(actor, machine('local'), 'files'))).toBe(code);
    expect(codeOf(() => requireControl(actor, machine('local'), 'job.backup'))).toBeNull();
    expect(codeOf(() => requireControl(actor, machine('ssh'), 'files'))).toBeNull();
  });

  test('is nothing that a token can have of what is no server of the fleet', () => {
    const named = tokenActor({ serverIds: new Set([7]), serversGranted: true });
    expect(codeOf(() => requireControlOfService(named))).toBe('own_machine_restricted');
  });

  test('is required in advance of administrators alone: for others it is checked when the time comes', () => {
    const late = person('administrator', false);
    expect(codeOf(() => requireConfirmedForLater(late, 'job.template_redeploy'))).toBe('confirmation_needed');
    expect(codeOf(() => requireConfirmedForLater(late, 'job.backup'))).toBeNull();
    expect(
      codeOf(() => requireConfirmedForLater(person('operator', false), 'job.template_redeploy')),
    ).toBeNull();
  });

  test('is required for jobs that run what a file or a template says, or restore files', () => {
    expect(JOB_TYPES.filter((type) => needsControl(`job.${type}`))).toEqual([
      'docker_stack_deploy',
      'template_deploy',
      'template_redeploy',
      'restore',
      'dump_restore',
    ]);
  });
});
