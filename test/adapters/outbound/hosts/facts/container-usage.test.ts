import { describe, expect, test } from 'vitest';
import { readContainers } from '../../../../../src/adapters/outbound/hosts/facts/containers.ts';
import { sectionsOf } from './recorded-host.ts';

const A = 'a'.repeat(64);
const B = 'b'.repeat(64);
const docker = (stats: readonly unknown[][], restarts: readonly unknown[][] = []) =>
  readContainers(
    sectionsOf({
      docker: [A, B]
        .map((id) => JSON.stringify([`c-${id[0]}`, 'running', 'demo:1', 'Up', '', '', '', id, '']))
        .join('\n'),
      'container-stats': stats.map((line) => JSON.stringify(line)).join('\n'),
      'container-restarts': restarts.map((line) => JSON.stringify(line)).join('\n'),
    }),
  ).containers?.map(({ cpuPercent, memoryBytes, restarts: times }) => [cpuPercent, memoryBytes, times]);

describe('What containers use', () => {
  test('is read by container', () => {
    expect(
      docker(
        [
          [B, '212.35%', '1.5GiB / 7.6GiB'],
          [A, '0.00%', '512KiB / 7.6GiB'],
        ],
        [
          [A, 0],
          [B, 3],
        ],
      ),
    ).toEqual([
      [0, 524_288, 0],
      [212.35, 1_610_612_736, 3],
    ]);
  });

  test.each([
    [A, '--', '-- / --'],
    [A, '', ''],
    [A, '-1%', '-1B / 0B'],
    [A, '1e9%', '1e9B / 0B'],
    [A, 'NaN%', '0B / 0B'],
    [A, '0.01', '12 MiB'],
    [A, 0, 0],
    ['../../etc', '1%', '1MiB / 1MiB'],
  ])('is unknown, not zero, if the engine does not say it (%s, %s, %s)', (...line) => {
    expect(docker([line], [[A, -1]])?.[0]).toEqual([undefined, undefined, undefined]);
  });

  test('is read of podman, which shortens ids and counts in thousands', () => {
    const container = { Id: A, Names: ['db'], State: 'running', Image: 'db:1', Status: 'Up', Restarts: 2 };
    expect(
      readContainers(
        sectionsOf({
          podman: JSON.stringify([container, { ...container, Id: B, Restarts: 'many' }]),
          'container-stats': JSON.stringify([A.slice(0, 12), '1.25%', '98.3MB / 8.2GB']),
        }),
      ).containers,
    ).toMatchObject([{ cpuPercent: 1.25, memoryBytes: 98_300_000, restarts: 2 }, { name: 'db' }]);
  });
});
