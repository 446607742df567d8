import { describe, expect, it } from 'vitest';
import { compareApk } from '../../../../src/domain/fleet/versions/apk-version.ts';
import { compareDpkg } from '../../../../src/domain/fleet/versions/dpkg-version.ts';
import { compareRpm } from '../../../../src/domain/fleet/versions/rpm-version.ts';
import { DPKG, type Vector } from './dpkg-vectors.ts';

/** From the tests of rpm (rpmvercmp.at), and EVRs of AlmaLinux. */
const RPM: readonly Vector[] = [
  ['1.0', '=', '1.0'],
  ['1.0', '<', '2.0'],
  ['2.0.1', '>', '2.0'],
  ['2.0.1a', '>', '2.0.1'],
  ['5.5p1', '<', '5.5p2'],
  ['5.5p10', '>', '5.5p1'],
  ['10xyz', '<', '10.1xyz'],
  ['xyz10', '<', 'xyz10.1'],
  ['xyz.4', '<', '8'],
  ['5.5p2', '<', '5.6p1'],
  ['6.0.rc1', '>', '6.0'],
  ['10b2', '>', '10a1'],
  ['1.0aa', '>', '1.0a'],
  ['10.0001', '=', '10.1'],
  ['20101121', '<', '20101122'],
  ['2_0', '=', '2.0'],
  ['a+', '=', 'a_'],
  ['1.0~rc1', '<', '1.0'],
  ['1.0~rc1~git123', '<', '1.0~rc1'],
  ['1.0^', '>', '1.0'],
  ['1.0^git1', '<', '1.01'],
  ['1.0^20160101', '<', '1.0.1'],
  ['1.0~rc1^git1', '>', '1.0~rc1'],
  ['1.0^git1~pre', '<', '1.0^git1'],
  ['8.7p1-38.el9', '<', '8.7p1-38.el9_4.1'],
  ['8.7p1-38.el9_4.1', '<', '8.7p1-43.el9'],
  ['1:3.0.7-6.el9_2', '>', '3.2.2-1.el9'],
  ['0:1.0-1', '=', '1.0-1'],
];

/** From the tests of apk (test/version.data). */
const APK: readonly Vector[] = [
  ['1.0', '=', '1.0'],
  ['2.34', '>', '0.1.0_alpha'],
  ['0.1.0_alpha', '<', '0.1.3_alpha'],
  ['0.1.0_alpha2', '>', '0.1.0_alpha'],
  ['0.1.0_alpha', '<', '0.1.0_beta'],
  ['0.1.0_rc1', '<', '0.1.0'],
  ['0.1.0_p1', '>', '0.1.0'],
  ['1.0.4-r3', '<', '1.0.4-r4'],
  ['1.9', '<', '1.10'],
  ['2.2.39', '<', '2.2.40'],
  ['6.0_pre1', '<', '6.0'],
  ['3.1.2a', '>', '3.1.2'],
  ['3.1.2a', '<', '3.1.2b'],
  ['1.0.2t-r0', '<', '1.0.2u-r0'],
  ['9.7_p1-r3', '<', '9.7_p1-r4'],
  ['9.6_p1-r1', '<', '9.7_p1-r0'],
  ['1.2.3', '<', '1.2.3.1'],
  ['0.12', '>', '0.1'],
  ['1.2_git20210101', '>', '1.2'],
];

const SIGNS = { '<': -1, '=': 0, '>': 1 } as const;

describe.each([
  ['dpkg', compareDpkg, DPKG],
  ['rpm', compareRpm, RPM],
  ['apk', compareApk, APK],
])('versions of %s', (_name, compare, vectors) => {
  it.each(vectors)('%s %s %s', (a, sign, b) => {
    expect(Math.sign(compare(a, b))).toBe(SIGNS[sign]);
    expect(Math.sign(compare(b, a)) + SIGNS[sign]).toBe(0);
  });

  it('survives what no package manager writes', () => {
    for (const odd of ['', ':', '-', '~~~', '-r', '_', '1:', 'ä', '0'.repeat(200), '~'.repeat(200)]) {
      expect(compare(odd, odd)).toBe(0);
      expect(Number.isFinite(compare(odd, '1.0'))).toBe(true);
    }
  });
});
