import { describe, expect, it } from 'vitest';
import { parseAptPolicy } from '../../../../../src/adapters/outbound/hosts/packages/apt/apt-policy.ts';

const policy = (table: string) =>
  parseAptPolicy(`demo:\n  Installed: 1.0\n  Candidate: 1.2\n  Version table:\n${table}`).get('demo');
const source = (suite: string) => `        500 http://mirror.example/ubuntu ${suite} amd64 Packages\n`;

describe('What apt-cache policy says', () => {
  it('counts a security fix that a later version has overtaken', () => {
    const table = `     1.2 500\n${source('noble-updates/main')}     1.1 500\n${source('noble-security/main')} *** 1.0 500\n`;
    expect(policy(table)).toEqual({
      installed: '1.0',
      candidate: '1.2',
      origin: 'noble-updates/main',
      phased: false,
      security: true,
    });
  });

  it('counts no security fix that is installed already, nor one that is not to be had', () => {
    const installed = ` *** 1.0 500\n${source('noble-security/main')}`;
    const pinnedAway = `     2.0 -1\n${source('noble-security/main')}`;
    const candidate = `     1.2 500\n${source('noble-updates/main')}`;
    expect(policy(pinnedAway + candidate + installed)).toMatchObject({ security: false });
  });

  it('reports phased updates', () => {
    expect(policy(`     1.2 500 (phased 40%)\n${source('noble-updates/main')}`)?.phased).toBe(true);
    expect(policy(`     1.2 500\n${source('noble-updates/main')}`)?.phased).toBe(false);
  });

  it('takes names for names, whatever objects inherit', () => {
    const found = parseAptPolicy('__proto__:\n  Installed: 1\n  Candidate: 2\nconstructor:\n');
    expect([...found.keys()]).toEqual(['__proto__', 'constructor']);
    expect(found.get('toString')).toBeUndefined();
  });
});
