import { beforeAll, expect, it } from 'vitest';
import { composeByPodman, publishByPodman, waitForPodman } from '../fleet/podman.ts';
import { usePodmanHost } from '../fleet/use-host.ts';
import { describeWith } from '../support/capabilities.ts';
import { eventually } from '../support/processes.ts';
import { RestClient } from '../support/rest-client.ts';
import { useService } from '../support/service.ts';
import { enrol } from './enrol.ts';

const SHOP = '/srv/stacks/shop';
const IMAGE = 'localhost:5000/library/app:1';
/** Drover checks once a minute. */
const TWO_CHECKS_MS = 150_000;

interface Jobs {
  readonly jobs: readonly { readonly id: number; readonly requested_by: string; readonly reason: string }[];
}
interface Alerts {
  readonly notifications: readonly {
    readonly kind: string;
    readonly title: string;
    readonly state: string;
  }[];
}

describeWith('podman', 'a policy that restarts unhealthy services', () => {
  const host = usePodmanHost();
  const service = useService();
  let rest: RestClient;
  let id: number;
  beforeAll(async () => {
    await waitForPodman(host());
    await publishByPodman(host(), IMAGE, 'v1');
    const web = { image: IMAGE, restart: 'unless-stopped' };
    await host().writeFile(`${SHOP}/compose.yaml`, JSON.stringify({ services: { web, other: web } }));
    await composeByPodman(host(), SHOP, ['up', '-d', '--wait']);
    rest = new RestClient(service().url, await service().token());
    id = await enrol(service(), host(), 'web', { options: ['--features', 'docker=on'] });
  });

  const restarts = async () =>
    ((await rest.get(`/api/v1/jobs?server_id=${id}&job_type=docker_stack_restart`)).body as Jobs).jobs;
  const alert = async () =>
    ((await rest.get('/api/v1/notifications')).body as Alerts).notifications.find(
      ({ kind }) => kind === 'service.unhealthy',
    );
  const startedAt = async (name: string) =>
    (await host().exec('podman inspect --format "{{.State.StartedAt}}" "$1"', [name])).trim();

  it(
    'restarts one service as often as it may, opens an alert, and closes it when the service is healthy',
    async () => {
      const before = { web: await startedAt('shop-web-1'), other: await startedAt('shop-other-1') };
      // The file is gone also after a restart.
      await host().exec('podman exec shop-web-1 /bin/busybox rm /healthy');
      const rule = ['policy', 'add', 'restarts', '--all', '--restart-unhealthy', '1/1'];
      const added = await service().cli(rule);
      expect(added.code, added.stderr).toBe(0);
      const [job] = await eventually('a restart', TWO_CHECKS_MS, async () => {
        const found = await restarts();
        return found.length > 0 ? found : undefined;
      });
      expect(job).toMatchObject({
        requested_by: 'policies',
        source_filter: SHOP,
      });
      await rest.jobEnd(job?.id ?? 0);
      expect(await startedAt('shop-web-1')).not.toBe(before.web);
      expect(await startedAt('shop-other-1')).toBe(before.other);
      const opened = await eventually('an alert', TWO_CHECKS_MS, alert);
      expect(opened).toMatchObject({
        state: 'open',
        severity: 'critical',
        server_id: id,
        server_name: 'web',
      });
      expect(opened.title).toContain('shop/web on web');
      expect(await restarts()).toHaveLength(1);
      await host().exec('podman exec shop-web-1 /bin/busybox touch /healthy');
      await eventually('the alert is over', TWO_CHECKS_MS, async () =>
        (await alert()) === undefined ? true : undefined,
      );
      expect(await restarts()).toHaveLength(1);
    },
    4 * TWO_CHECKS_MS,
  );
});
