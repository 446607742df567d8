import { afterAll, beforeAll, expect, it } from 'vitest';
import { AptMirror } from '../fleet/apt-mirror.ts';
import { DEMO_SOURCES, installDemo } from '../fleet/apt-repo.ts';
import { useHost } from '../fleet/use-host.ts';
import { describeWith } from '../support/capabilities.ts';
import { RestClient } from '../support/rest-client.ts';
import { useService } from '../support/service.ts';
import { enrol } from './enrol.ts';

describeWith('fleet', 'a host that is checked again and again', () => {
  const host = useHost();
  const service = useService();
  let mirror: AptMirror | undefined;
  let rest: RestClient;
  let id: number;
  beforeAll(async () => {
    await installDemo(host());
    mirror = await AptMirror.start(host());
    await host().writeFile(DEMO_SOURCES, mirror.sources);
    rest = new RestClient(service().url, await service().token());
    id = await enrol(service(), host(), 'web', { options: ['--features', 'os_patch=on'] });
  });
  afterAll(() => mirror?.stop());

  const check = async () => {
    mirror?.seen();
    const job = await rest.run(id, { job_type: 'os_update_check' });
    const said = JSON.stringify((await rest.get(`/api/v1/jobs/${job.id}?detail=true`)).body);
    return { job, said, asked: mirror?.seen() };
  };
  const NOTHING_NEWER = ['304 /dists/stable/InRelease', '304 /dists/stable-security/InRelease'];

  it('has its lists refreshed where the sources have something newer, and after a restart of the service it knows still', async () => {
    expect((await check()).job.result).toMatchObject({ updates_count: 0 });
    mirror?.publish('v2');
    expect((await check()).job.result).toMatchObject({ updates_count: 3, security_count: 2 });
    await service().stop();
    await service().start();
    const { job, said, asked } = await check();
    expect(job.result).toMatchObject({ updates_count: 3, security_count: 2, notes: [] });
    expect(asked).toEqual(NOTHING_NEWER);
    expect(said).toContain(`Nothing newer: ${mirror?.url}/dists/stable/InRelease`);
  });

  it('tells after a patch what is left, by the lists that the patch has refreshed', async () => {
    const patched = await rest.run(id, { job_type: 'os_patch' });
    expect(patched, patched.error ?? '').toMatchObject({ status: 'success', result: { changes_count: 3 } });
    for (const lists of ['refreshed', 'asked for']) {
      const { job, asked } = await check();
      expect(job.result).toMatchObject({ updates_count: 0 });
      if (lists === 'asked for') expect(asked).toEqual(NOTHING_NEWER);
    }
  });
});
