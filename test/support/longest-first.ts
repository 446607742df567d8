import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take longest, in this order. One that starts last leaves the other workers idle. */
const LONGEST = [
  'test/e2e/upgrade.e2e',
  'test/e2e/demo.e2e',
  'test/e2e/podman.e2e',
  'test/e2e/containers.e2e',
  'test/torture/crash.torture.e2e',
  'test/adapters/containers/docker-engine.fleet',
  'test/adapters/packages/family-patch',
  'test/e2e/service-backup.e2e',
  'test/adapters/packages/families',
  'test/adapters/backup/restic-contract',
  'test/e2e/double-start.e2e',
  'test/e2e/pages.e2e',
  'test/deploy/compose.torture.e2e',
  'test/adapters/containers/podman-engine',
  'test/e2e/hampered-containers.e2e',
  'test/e2e/rolling-upgrade.e2e',
  'test/e2e/verified-backups.e2e',
];

/** Vitest's own order, larger files first, does not know which files wait for hosts and databases. */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const found = LONGEST.findIndex((part) => moduleId.includes(part));
      return found < 0 ? LONGEST.length : found;
    };
    // A stable sort: the rest stays as vitest has it, and so do projects that run one after the other.
    const sorted = await super.sort(files);
    return sorted.sort((a, b) => groupOf(a) - groupOf(b) || rank(a) - rank(b));
  }
}

const groupOf = ({ project }: TestSpecification): number => project.config.sequence.groupOrder;
