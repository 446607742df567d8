import { describe, expect, it } from 'vitest';
import { APT_REMEDIES } from '../../../../../src/adapters/outbound/hosts/packages/apt/apt-package-manager.ts';
import { patchOutcome } from '../../../../../src/adapters/outbound/hosts/packages/patch/outcome.ts';

const outcome = (exitCode: number, result = '') => patchOutcome({ exitCode, result }, APT_REMEDIES);

describe('what a patch left', () => {
  it('is its changes, in order, and nothing that is not one', () => {
    const told = [
      'changed upgrade libc6 2.36-9 2.36-9+deb12u1 1',
      'changed install linux-image-6.1.0-2 - 6.1.2 1',
      'changed remove linux-image-6.1.0-1 6.1.1 - 0',
      'changed nonsense a b c 0',
      'changed upgrade too few',
      'whatever else',
      '',
    ];
    expect(outcome(0, told.join('\n'))).toEqual({
      changes: [
        { kind: 'install', name: 'linux-image-6.1.0-2', from: null, to: '6.1.2', security: true },
        { kind: 'remove', name: 'linux-image-6.1.0-1', from: '6.1.1', to: null, security: false },
        { kind: 'upgrade', name: 'libc6', from: '2.36-9', to: '2.36-9+deb12u1', security: true },
      ],
      failure: null,
      planNow: null,
      notes: [],
      guard: null,
    });
  });

  it.each([
    [10, 'lock E: Could not get lock x', 'host_command_failed', /Could not get lock x/],
    [11, 'space /boot 104857600 1048576', 'disk_full', /\/boot needs 100 MiB and has 1 MiB/],
    [15, '', 'job_cancelled', /before any package was changed/],
    [12, 'plan upgrade a 1 2 0', 'plan_drifted', /Nothing was upgraded/],
    [13, '', 'host_command_failed', /No package source/],
    [14, 'failed a\naudit a\naudit b', 'patch_failed', /finish a, b\. .*dpkg --configure -a/],
    [14, '', 'patch_failed', /apt-get -f install/],
    [137, '', 'patch_failed', /\(code 137\)/],
    [16, '', 'host_command_failed', /could not be copied, so nothing was upgraded/],
    [127, '', 'host_tool_missing', /no apt-get/],
  ])('with code %d fails as it says', (exitCode, told, code, words) => {
    const { failure } = outcome(exitCode, told);
    expect(failure).toMatchObject({ code, message: expect.stringMatching(words) });
  });

  it('has the copy of a guarded one, and the host before and after', () => {
    const told = [
      'changed upgrade a 1 2 0',
      'saved /var/backups/drover/os-patch-x 1024',
      'before port /proc/net/tcp 00000000:0050',
      'before check 0 ok',
      'after unit a.service',
      'after port /proc/net/udp 0100007F:EA60',
      'after check 0 failed connection \u001b[31mrefused',
    ];
    expect(outcome(0, told.join('\n')).guard).toEqual({
      saved: { path: '/var/backups/drover/os-patch-x', bytes: 1024 },
      before: {
        failedUnits: [],
        ports: [{ protocol: 'tcp', address: '0.0.0.0', port: 80 }],
        checks: [null],
      },
      after: { failedUnits: ['a.service'], ports: [], checks: ['connection refused'] },
    });
  });

  it('reports what would be done now if it drifted', () => {
    expect(outcome(12, 'plan upgrade a 1 2 0').planNow).toMatchObject([{ name: 'a', to: '2' }]);
  });

  it('shows no more than a few of many broken packages, and none of what a host hides in names', () => {
    const told = Array.from({ length: 30 }, (_, n) => `failed p${n}\u001b[31m`).join('\n');
    const { failure } = outcome(14, told);
    expect(failure?.message).toMatch(/and 25 more/);
    expect(failure?.message).not.toContain('\u001b');
  });
});
