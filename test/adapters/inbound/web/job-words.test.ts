import { describe, expect, test } from 'vitest';
import { resultLine } from '../../../../src/adapters/inbound/web/pages/jobs/job-words.ts';

const line = (job: Partial<Parameters<typeof resultLine>[0]>, dryRun = false): string | null =>
  resultLine({
    status: 'success',
    current: null,
    error: null,
    summary: null,
    params: { sourceFilter: null, service: null, osSteps: null, dryRun },
    ...job,
  });

describe('The result of a job in a row', () => {
  test('is short: what it is about, without what did not happen', () => {
    const dry = (summary: string) => line({ summary: `Dry run: ${summary}. Nothing was changed.` }, true);
    expect(dry('2 packages would be upgraded')).toBe('2 packages');
    expect(dry('119 packages to upgrade (73 security fixes), 1 new, 0 to remove, 2 held')).toBe(
      '119 packages (73 security), 1 new, 2 held',
    );
    expect(dry('1 package to upgrade (0 security fixes), 0 new, 0 to remove')).toBe('1 package');
    expect(line({ summary: 'Upgraded 4, installed 0, removed 0 packages. A reboot is pending.' })).toBe(
      'Upgraded 4. A reboot is pending.',
    );
  });

  test('leaves out what the tag of dry runs says', () => {
    expect(line({ summary: 'Dry run: the job would restore 1 file. Nothing was written.' }, true)).toBe(
      'The job would restore 1 file',
    );
    expect(
      line(
        {
          summary:
            "Dry run: 2 to upgrade according to the host's current package lists, which were not refreshed. Nothing was changed.",
        },
        true,
      ),
    ).toBe('2 to upgrade');
    expect(
      line({ summary: 'Dry run: 2 to upgrade, 1 held. It said: Nothing was changed there.' }, true),
    ).toBe('2 to upgrade, 1 held. It said: Nothing was changed there');
    expect(line({ summary: '2 packages upgraded. Nothing was changed.' })).toBe(
      '2 packages upgraded. Nothing was changed.',
    );
  });

  test('leaves out that it waits, which its state says', () => {
    expect(line({ status: 'awaiting_approval', current: 'Waits' })).toBeNull();
    expect(line({ status: 'running', current: 'Reading' })).toBe('Reading');
  });

  test('says why it failed, also of a dry run', () => {
    const error = { code: 'disk_full', detail: 'No space. Nothing was changed.' } as const;
    expect(line({ status: 'failed', error }, true)).toBe('No space. Nothing was changed.');
  });
});
