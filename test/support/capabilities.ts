import { describe, it } from 'vitest';
import { z } from 'zod';
import { probeCapabilities } from '../../scripts/lib/capabilities.mjs';

export type Capability =
  | 'root'
  | 'ssh'
  | 'rsync'
  | 'restic'
  | 'rclone'
  | 'mariadb'
  | 'galera'
  | 'fleet'
  | 'families'
  | 'nspawn'
  | 'docker'
  | 'podman'
  | 'busybox'
  | 'prometheus'
  | 'mcpTools'
  | 'newerNode'
  | 'chromium'
  | 'caddy'
  | 'swift'
  | 'databases'
  | 'shells'
  | 'mosquitto';

const Answer = z.union([z.literal(true), z.string()]);
const Capabilities = z.object({
  root: Answer,
  ssh: Answer,
  rsync: Answer,
  restic: Answer,
  rclone: Answer,
  mariadb: Answer,
  galera: Answer,
  fleet: Answer,
  families: Answer,
  nspawn: Answer,
  docker: Answer,
  podman: Answer,
  busybox: Answer,
  prometheus: Answer,
  mcpTools: Answer,
  newerNode: Answer,
  chromium: Answer,
  caddy: Answer,
  swift: Answer,
  databases: Answer,
  shells: Answer,
  mosquitto: Answer,
});

/** `npm test` has determined this for all files; a manual vitest run has not. */
const told = process.env['DROVER_TEST_CAPABILITIES'];
const capabilities = told ? Capabilities.parse(JSON.parse(told)) : await probeCapabilities();

/**
 * Like describe, for tests with requirements beyond Node. If the machine lacks one, a single test of that name
 * represents them, which the run lists as not run, with the reason; if everything must run (TEST_REQUIRE_ALL=1), it
 * fails.
 */
export function describeWith(
  needs: Capability | readonly Capability[],
  title: string,
  body: () => void,
): void {
  const reasons = [needs].flat().flatMap((need) => (capabilities[need] === true ? [] : [capabilities[need]]));
  describe(title, () => {
    if (reasons.length === 0) body();
    else it(`NOT RUN: ${reasons.join('; ')}`, failWhereAllIsRequired);
  });
}

function failWhereAllIsRequired(): void {
  if (process.env['TEST_REQUIRE_ALL'] === '1')
    throw new Error('all tests must run here, and this one cannot');
}
