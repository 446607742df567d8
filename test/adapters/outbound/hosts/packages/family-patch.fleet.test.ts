import { beforeAll, describe, expect, it } from 'vitest';
import { ShellDetachedRuns } from '../../../../../src/adapters/outbound/hosts/detached/shell-detached-runs.ts';
import { SshRemoteHosts } from '../../../../../src/adapters/outbound/hosts/ssh/ssh-remote-hosts.ts';
import type { PatchOutcome, PatchPlan } from '../../../../../src/application/ports/fleet/package-manager.ts';
import type { RemoteHost } from '../../../../../src/application/ports/fleet/remote-host.ts';
import type { PackageChange } from '../../../../../src/domain/fleet/package-change.ts';
import { DEFAULT_OS_STEPS, type OsStep } from '../../../../../src/domain/jobs/job.ts';
import { follow } from '../../../../contracts/detached-runs.contract.ts';
import { accessTo } from '../../../../fleet/access.ts';
import { becomeFamily, FAMILY_KITS } from '../../../../fleet/families.ts';
import { useHost } from '../../../../fleet/use-host.ts';
import { describeWith } from '../../../../support/capabilities.ts';
import { managerOf } from './family-host.ts';

const up = (name: string, to: string, security: boolean): PackageChange => ({
  kind: 'upgrade',
  name,
  from: '1.0-1',
  to,
  security,
});
const NEW = { kind: 'install', name: 'demo-new', from: null, to: '1.0-1', security: false } as const;

/** The message of each that a new version of a changed file lies beside it. */
const BESIDE = { fedora: 'rpmnew', suse: 'rpmnew', arch: 'pacnew' } as const;

describeWith(['fleet', 'families'], 'patching another family', () => {
  const fleetHost = useHost();

  describe.each(['fedora', 'suse', 'arch'] as const)('%s', (family) => {
    const kit = FAMILY_KITS[family];
    const fix = family === 'fedora';
    const manager = managerOf(family, 4_000);
    const runs = new ShellDetachedRuns();
    const { signal } = new AbortController();
    let host: RemoteHost;
    let count = 0;
    // The tests go on from one another, as a host's life does.
    beforeAll(async () => {
      await fleetHost().reset();
      await becomeFamily(fleetHost(), family);
      await fleetHost().exec(kit.install, ['demo-app', 'demo-lib', 'demo-kernel', 'demo-old', 'demo-more']);
      await fleetHost().exec('echo mine >>/etc/demo-app.conf');
      await fleetHost().exec(kit.publish, ['v2']);
      const hosts = new SshRemoteHosts();
      host = await hosts.connect(accessTo(fleetHost()));
      return () => hosts.closeAll();
    });

    const patch = async (
      steps: readonly OsStep[] = DEFAULT_OS_STEPS,
      plan: readonly PackageChange[] | null = null,
      hold: readonly string[] = [],
    ): Promise<PatchOutcome & { log: string }> => {
      count += 1;
      const id = `${family}-${count}`;
      await runs.start(host, { id, ...manager.patch({ steps, plan, hold }) });
      const { log, state } = await follow(runs, host, id);
      if (state.kind !== 'ended') throw new Error(`the patch ${state.kind}: ${log}`);
      return { ...manager.outcome({ exitCode: state.exitCode, result: await runs.result(host, id) }), log };
    };
    const planned = (steps: readonly OsStep[] = DEFAULT_OS_STEPS): Promise<PatchPlan> =>
      manager.plan(host, { steps, signal });
    const version = (name: string) => fleetHost().exec(kit.version, [name]);

    it('has changed nothing where another program holds the lock for too long', async () => {
      const pid = (await fleetHost().exec(kit.lock)).trim();
      const { failure, changes, log } = await patch();
      await fleetHost().exec(kit.unlock, [pid]);
      expect(failure, log).toMatchObject({
        code: 'host_command_failed',
        message: expect.stringContaining('lock'),
      });
      expect(changes).toEqual([]);
    });

    it('changes nothing where no list can be refreshed', async () => {
      await fleetHost().exec(kit.saveSources);
      await fleetHost().exec(kit.killSources);
      const { failure, changes, log } = await patch();
      await fleetHost().exec(kit.restoreSources);
      expect(failure, log).toMatchObject({ code: 'host_command_failed' });
      expect(changes).toEqual([]);
    });

    it('holds packages for one plan, and what needs newer ones of them', async () => {
      await patch(['update']);
      const hold = ['demo-lib', 'demo-kernel', 'no-such'];
      const { changes } = await manager.plan(host, { steps: ['upgrade'], hold, signal });
      expect(changes).toEqual([NEW, up('demo-app', '2.0-1', false), up('demo-more', '2.0-1', false)]);
      expect(await fleetHost().exec('ls /tmp')).not.toContain('drover-hold');
    });

    it('does just what the plan says: leaves what is held, brings in what is needed, keeps changed files', async () => {
      await fleetHost().exec(kit.hold, ['demo-kernel']);
      await patch(['update']);
      const { changes, held } = await planned();
      expect(changes).toEqual([
        NEW,
        up('demo-app', '2.0-1', false),
        up('demo-lib', '1.0-2', fix),
        up('demo-more', '2.0-1', false),
      ]);
      expect(held).toMatchObject([{ name: 'demo-kernel', from: '1.0-1', to: '1.1-1', held: true }]);
      expect(await version('demo-app')).toBe('1.0-1');
      const done = await patch(DEFAULT_OS_STEPS, changes);
      expect(done, done.log).toMatchObject({ failure: null, changes, planNow: null });
      expect(done.notes).toContainEqual(expect.stringContaining(`/etc/demo-app.conf.${BESIDE[family]}`));
      expect(await fleetHost().readFile('/etc/demo-app.conf')).toContain('mine');
      expect(await version('demo-kernel')).toBe('1.0-1');
    });

    it('changes nothing if the host is no longer as planned, and reports the new plan', async () => {
      await fleetHost().exec(kit.release);
      const { changes } = await planned();
      expect(changes).toEqual([up('demo-kernel', '1.1-1', fix)]);
      await fleetHost().exec(kit.hold, ['demo-kernel']);
      expect(await patch(DEFAULT_OS_STEPS, changes)).toMatchObject({
        failure: { code: 'plan_drifted' },
        changes: [],
        planNow: [],
      });
      await fleetHost().exec(kit.release);
    });

    it('removes what is no longer needed, if there is such a step', async () => {
      await fleetHost().exec(kit.markUnneeded, ['demo-old']);
      const done = await patch(['autoremove']);
      const gone = { kind: 'remove', name: 'demo-old', from: '1.0-1', to: null, security: false };
      expect(done, done.log).toMatchObject({ failure: null, changes: family === 'suse' ? [] : [gone] });
      if (family === 'suse') expect(done.notes).toContainEqual(expect.stringContaining('no step'));
    });

    it('holds packages for one run', async () => {
      const done = await patch(['upgrade'], null, ['demo-kernel']);
      expect(done, done.log).toMatchObject({ failure: null, changes: [] });
      expect((await planned(['upgrade'])).changes).toEqual([up('demo-kernel', '1.1-1', fix)]);
    });

    it('upgrades by a full upgrade too', async () => {
      const done = await patch(['update', 'full_upgrade']);
      expect(done, done.log).toMatchObject({ failure: null, changes: [up('demo-kernel', '1.1-1', fix)] });
      expect((await patch()).changes).toEqual([]);
    });

    it('names a package whose script fails', async () => {
      await fleetHost().exec(kit.publish, ['v1']);
      await fleetHost().exec(kit.install, ['demo-broken']);
      await fleetHost().exec(kit.publish, ['v2']);
      const { failure, log } = await patch();
      expect(failure, log).toMatchObject({
        code: 'patch_failed',
        message: expect.stringContaining('demo-broken'),
      });
    });
  });
});
