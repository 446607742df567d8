import { beforeAll, expect, it } from 'vitest';
import { becomeFamily, FAMILY_KITS } from '../fleet/families.ts';
import { useHost } from '../fleet/use-host.ts';
import { describeWith } from '../support/capabilities.ts';
import { RestClient } from '../support/rest-client.ts';
import { useService } from '../support/service.ts';
import { enrol } from './enrol.ts';

const kit = FAMILY_KITS.fedora;
const APP = { kind: 'upgrade', name: 'demo-app', from: '1.0-1', to: '2.0-1', security: false };
const LIB = { kind: 'upgrade', name: 'demo-lib', from: '1.0-1', to: '1.0-2', security: true };

describeWith(['fleet', 'families'], 'a host of the Fedora family', () => {
  const host = useHost();
  const service = useService();
  let rest: RestClient;
  let id: number;
  beforeAll(async () => {
    rest = new RestClient(service().url, await service().token());
    await becomeFamily(host(), 'fedora');
    await host().exec(kit.install, ['demo-app', 'demo-lib', 'demo-kernel']);
    await host().exec(kit.hold, ['demo-kernel']);
    await host().exec(kit.publish, ['v2']);
    id = await enrol(service(), host(), 'alma', { options: ['--features', 'os_patch=on'] });
  });

  it('is checked, planned and patched by the plan, as any other', async () => {
    const checked = await rest.run(id, { job_type: 'os_update_check' });
    expect(checked, checked.error ?? '').toMatchObject({
      status: 'success',
      result: { updates_count: 2, security_count: 1, held_count: 1 },
    });
    const dry = await rest.run(id, { job_type: 'os_patch', dry_run: true });
    expect(dry, dry.error ?? '').toMatchObject({
      status: 'success',
      result: { changes: [APP, LIB], held: [{ name: 'demo-kernel', to: '1.1-1' }], plan_id: dry.id },
    });
    const done = await rest.run(id, { job_type: 'os_patch', plan_id: dry.id });
    expect(done, done.error ?? '').toMatchObject({
      status: 'success',
      result: { changes: [APP, LIB], held: [{ name: 'demo-kernel' }], kept_back: [] },
    });
    expect(await host().exec(kit.version, ['demo-app'])).toBe('2.0-1');
    expect((await rest.get(`/api/v1/servers/${id}`)).body).toMatchObject({
      os_updates_count: 0,
      os_pretty: 'Fedora Linux 37 (Thirty Seven)',
    });
  });
});
