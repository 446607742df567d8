import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  aptPlanErrors,
  readAptListing,
} from '../../../../../src/adapters/outbound/hosts/packages/apt/apt-listing.ts';
import { AptRefreshLog } from '../../../../../src/adapters/outbound/hosts/packages/apt/apt-refresh-log.ts';
import { refreshRefusal } from '../../../../../src/adapters/outbound/hosts/packages/apt/apt-refusals.ts';
import { readRebootState } from '../../../../../src/adapters/outbound/hosts/packages/reboot.ts';
import { isDomainError } from '../../../../../src/domain/base/errors.ts';
import { MAX_UPDATES } from '../../../../../src/domain/fleet/inventory.ts';
import { hostileText } from '../../../../support/hostile-text.ts';
import { recordedSections, recording } from './recording.ts';

const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e]/;
const real = recordedSections('apt-listing-ubuntu-24.04');
const section = (name: string) => hostileText(real.get(name)?.text ?? '');

describe('A host that lies about apt', () => {
  it('gets a bounded listing of plain text, or none', () => {
    fc.assert(
      fc.property(section('apt-plan'), section('apt-holds'), section('apt-policy'), (plan, holds, policy) => {
        const sections = new Map([
          ['apt-plan', { text: plan, exitCode: 0 }],
          ['apt-holds', { text: holds, exitCode: 0 }],
          ['apt-policy', { text: policy, exitCode: 0 }],
          ['reboot', { text: holds, exitCode: 0 }],
        ]);
        const listing = readAptListing(sections);
        const texts = [...(listing?.notes ?? []), ...aptPlanErrors(sections)];
        for (const { name, from, to, origin } of listing?.updates ?? []) {
          expect(name).not.toBe('');
          expect(to).not.toBe('');
          texts.push(name, from ?? '', to, origin ?? '');
        }
        for (const text of [...texts, ...readRebootState(sections).askedBy]) {
          expect(text.length).toBeLessThan(4_000);
          expect(text).not.toMatch(CONTROL);
        }
      }),
      { numRuns: 150 },
    );
  });

  it('lists no update without a readable name or version', () => {
    const mark = '\u202e';
    const sections = new Map([
      ['apt-plan', { text: `Inst ${mark} [1] (2 D [all])\nInst a [1] (${mark} D [all])\n`, exitCode: 0 }],
      ['apt-holds', { text: `${mark}\n`, exitCode: 0 }],
      ['apt-policy', { text: `${mark}:\n  Installed: 1\n  Candidate: 2\n`, exitCode: 0 }],
    ]);
    expect(readAptListing(sections)?.updates).toEqual([]);
  });

  it('is limited in its number of updates', () => {
    const lines = Array.from(
      { length: 30_000 },
      (_, index) => `Inst p${index} [1] (2 Debian:12/stable [all])\n`,
    );
    const holds = Array.from({ length: 30_000 }, (_, index) => `h${index}\n`).join('');
    const policies = Array.from(
      { length: 30_000 },
      (_, index) => `h${index}:\n  Installed: 1\n  Candidate: 2\n`,
    );
    const sections = new Map([
      ['apt-plan', { text: lines.join(''), exitCode: 0 }],
      ['apt-holds', { text: holds, exitCode: 0 }],
      ['apt-policy', { text: policies.join(''), exitCode: 0 }],
    ]);
    expect(readAptListing(sections)?.updates).toHaveLength(MAX_UPDATES);
    expect(readAptListing(sections)?.notes).toContain('Only the first 5000 updates are listed.');
  });

  it('gets a refusal in plain words, or none', () => {
    const update = recording('apt-refresh-some-failing-noble') + recording('apt-refresh-expired-trixie');
    fc.assert(
      fc.property(hostileText(update), fc.constantFrom(0, 100, 127, null), (text, exitCode) => {
        const log = new AptRefreshLog();
        for (const line of text.split('\n')) log.read(line);
        const refusal = refreshRefusal(log, exitCode);
        if (refusal) {
          expect(isDomainError(refusal)).toBe(true);
          expect(refusal.message.length).toBeLessThan(3_000);
          expect(refusal.message).not.toMatch(CONTROL);
        }
        expect(log.failed.size).toBeLessThanOrEqual(500);
        expect(log.errors.length + log.warnings.length).toBeLessThanOrEqual(100);
      }),
      { numRuns: 300 },
    );
  });
});
