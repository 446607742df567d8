import { beforeEach, describe, expect, it } from 'vitest';
import { HOUR } from '../../../../src/domain/base/instant.ts';
import { type HostState, STATE_KINDS } from '../../../../src/domain/fleet/host-state.ts';
import { CliFixture } from './cli-fixture.ts';

const NONE = Object.fromEntries(STATE_KINDS.map((kind) => [kind, null])) as unknown as HostState;

describe('drover changes', () => {
  let cli: CliFixture;
  beforeEach(async () => {
    cli = new CliFixture();
    await cli.run('server add web --local');
    const now = cli.clock.now();
    const unit = (state: string): HostState => ({ ...NONE, unit: new Map([['nginx.service', state]]) });
    await cli.stores.hostChanges.record(1, unit('disabled'), now - 50 * HOUR);
    await cli.stores.hostChanges.record(1, unit('enabled'), now - 48 * HOUR);
    await cli.stores.hostChanges.record(1, unit('enabled, running'), now - HOUR);
  });

  it('lists the changes of a period, and the jobs of the same time', async () => {
    expect(await cli.json('changes')).toMatchObject({
      total: 1,
      changes: [{ server_name: 'web', name: 'nginx.service', before: 'enabled', after: 'enabled, running' }],
      jobs: [],
    });
    await cli.run('server features web os_patch=on');
    expect(await cli.run('job start web os_update_check')).toMatchObject({ code: 0 });
    expect(await cli.json('changes --server web --since 3d --kind unit')).toMatchObject({
      total: 2,
      jobs: [{ job_type: 'os_update_check', requested_by: 'cli:tester' }],
    });
    const { out } = await cli.run('changes --server web --since 3d');
    expect(out).toContain('disabled → enabled');
    expect(out).toContain('os_update_check');
  });

  it('refuses what it cannot understand, and says so if nothing changed', async () => {
    expect(await cli.run('changes --server nobody')).toMatchObject({ code: 4 });
    expect(await cli.run('changes --kind weather')).toMatchObject({ code: 2 });
    expect(await cli.run('changes --since yesterday')).toMatchObject({ code: 2 });
    expect(await cli.json('changes --since 30m')).toMatchObject({ total: 0, changes: [] });
  });
});
