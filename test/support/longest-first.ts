import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { TIERS } from '../tiers.ts';

const ORDER = TIERS['all'] ?? [];

/** Files start in the order of test/tiers.ts. Vitest's own, larger files first, does not know which wait for hosts. */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number =>
      ORDER.findIndex((name) => moduleId.endsWith(`test/${name}.test.ts`));
    // A stable sort: the unit tests stay as vitest has them, and so do projects that run one after the other.
    const sorted = await super.sort(files);
    return sorted.sort((a, b) => groupOf(a) - groupOf(b) || rank(a) - rank(b));
  }
}

const groupOf = ({ project }: TestSpecification): number => project.config.sequence.groupOrder;
