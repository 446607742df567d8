import { describe, expect, test } from 'vitest';
import { patchSteps } from '../../../../../src/adapters/outbound/hosts/packages/patch/order.ts';

/** The steps that these lines report, as text. */
function read(lines: readonly string[]): readonly string[] {
  const steps = patchSteps();
  return lines.flatMap((line) => {
    const step = steps(line);
    if (step === null) return [];
    return [step.amount ? `${step.name} ${step.amount.done}/${step.amount.total}` : step.name];
  });
}

const UPGRADE = 'Upgrading packages.';
const [NONE, ONE, TWO] = ['0/2', '1/2', '2/2'].map((part) => `Upgrading packages ${part}`);

describe('The steps of an upgrade', () => {
  test('are those that its script announces', () => {
    expect(
      read([
        'Setting up curl (1) ...',
        'Refreshing the package lists.',
        UPGRADE,
        'Removing packages that are no longer needed.',
      ]),
    ).toEqual([
      'Refreshing the package lists',
      'Upgrading packages',
      'Removing packages that are no longer needed',
    ]);
  });

  test.each([
    [
      'apt-get',
      [
        '1 upgraded, 1 newly installed, 0 to remove and 3 not upgraded.',
        'Unpacking curl (8.1) over (8.0) ...',
        'Setting up curl (8.1) ...',
        'Setting up libnew:amd64 (1.0) ...',
        'Setting up libnew:amd64 (1.0) ...',
      ],
      [NONE, ONE, TWO, TWO],
    ],
    [
      'dnf',
      [
        '  Upgrading        : demo-1.1-1.noarch      1/2 ',
        '  Running scriptlet: demo-1.1-1.noarch 1/2',
        '  Installing : b-1.noarch 2/2',
      ],
      [ONE, TWO],
    ],
    ['dnf5', ['[1/2] Upgrading demo-0:1.1-1.noarch  100% | 1 B', '[2/2] Installing b'], [ONE, TWO]],
    ['zypper', ['(1/2) Installing: demo-1.1-1.noarch [...done]', '(2/2) Removing: b [...done]'], [ONE, TWO]],
    [
      'apk',
      ['(1/2) Upgrading demo (1.0-r0 -> 1.1-r0)', '(2/2) Purging b (1)', 'Executing busybox trigger'],
      [ONE, TWO],
    ],
    ['pacman', ['Packages (2) demo-1.1-1  b-1-1', 'upgrading demo...', 'installing b...'], [NONE, ONE, TWO]],
  ])('count the packages of %s', (_, lines, expected) => {
    expect(read([UPGRADE, ...lines])).toEqual(['Upgrading packages', ...expected]);
  });
});
