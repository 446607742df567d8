import { describe, expect, it } from 'vitest';
import { AptRefreshLog } from '../../../../../src/adapters/outbound/hosts/packages/apt/apt-refresh-log.ts';
import { refreshRefusal } from '../../../../../src/adapters/outbound/hosts/packages/apt/apt-refusals.ts';
import { recording } from './recording.ts';

function read(name: string): AptRefreshLog {
  const log = new AptRefreshLog();
  for (const line of recording(`apt-refresh-${name}`).split('\n')) log.read(line);
  return log;
}

describe('What apt-get update prints', () => {
  it.each(['bullseye', 'bookworm', 'trixie'])(
    'names the sources that failed, with their reasons (%s)',
    (system) => {
      const log = read(`some-failing-${system}`);
      const { failed } = log;
      expect([...failed.keys()].toSorted()).toEqual([
        'http://192.0.2.1/debian bookworm',
        'http://de.example.org/debian no-such-suite',
        'http://de.example.org/debian sid',
        'http://nobody.invalid/debian bookworm',
      ]);
      expect(failed.get('http://nobody.invalid/debian bookworm')).toBe("Could not resolve 'nobody.invalid'");
      expect(failed.get('http://de.example.org/debian no-such-suite')).toMatch(/^404 {2}Not Found/);
      expect(failed.get('http://de.example.org/debian sid')).toMatch(/NO_PUBKEY|keyring/);
      expect(log.anyRefreshed).toBe(true);
      expect(log.errors).toEqual([]);
      expect(refreshRefusal(log, 100)).toBeNull();
    },
  );

  it('names the component where one index of a source failed', () => {
    const log = read('some-failing-noble');
    expect([...log.failed.keys()]).toContain('http://archive.ubuntu.com/ubuntu noble-updates/universe');
    expect(log.failed.get('http://archive.ubuntu.com/ubuntu noble-updates/main')).toMatch(/unexpected size/);
    expect(log.anyRefreshed).toBe(true);
  });

  it('is refused where no source could be refreshed, though apt ends with 0', () => {
    const refusal = refreshRefusal(read('all-failing-bookworm'), 0);
    expect(refusal?.code).toBe('host_command_failed');
    expect(refusal?.message).toMatch(
      /^No package source could be refreshed: http:\/\/de\.example\.org\/debian bookworm: Temporary failure resolving 'de\.example\.org'; .*DNS/,
    );
  });

  it.each([
    ['malformed-bookworm', /Malformed entry 1 in list file .* The list of sources could not be read/],
    ['no-space-bookworm', /No space left on device.*Free space on the host/],
    ['not-root-trixie', /cannot refresh.*Log in as root/],
    ['expired-trixie', /is expired.*clock/],
  ])('%s is refused with the words of apt and the next step', (name, words) => {
    const refusal = refreshRefusal(read(name), 100);
    expect(refusal?.code).toBe('host_command_failed');
    expect(refusal?.message).toMatch(words);
  });

  it('takes a CD-ROM, or a source that changed its name, for one source that failed', () => {
    const cdrom = read('cdrom-bookworm');
    expect([...cdrom.failed.keys()]).toEqual([expect.stringMatching(/^cdrom:\/\/\[Debian .*\] bookworm$/)]);
    expect(refreshRefusal(cdrom, 100)).toBeNull();
    const changed = read('changed-bullseye');
    expect(changed.failed.get('http://de.example.org/debian bullseye')).toMatch(/changed its 'Label'/);
    expect(refreshRefusal(changed, 100)).toBeNull();
  });

  it('names who holds the lock', () => {
    expect(read('locked-trixie').lockedBy).toMatch(/^process \d+$/);
    const named = new AptRefreshLog();
    named.read('E: Could not get lock /var/lib/apt/lists/lock. It is held by process 17 (unattended-upgr)');
    expect(named.lockedBy).toBe('process 17 (unattended-upgr)');
    const old = new AptRefreshLog();
    old.read('E: Could not get lock /var/lib/apt/lists/lock - open (11: Resource temporarily unavailable)');
    expect(old.lockedBy).toBe('another program');
  });

  it('gives away no password of a source', () => {
    const log = read('password-jammy');
    log.read('E: Something about http://user:s3cret@de.example.org/none');
    expect(JSON.stringify([[...log.failed], log.errors, log.warnings])).not.toContain('s3cret');
    expect(log.errors).toEqual(['Something about http://de.example.org/none']);
  });

  it('is refused where apt is missing, or was terminated by a signal', () => {
    expect(refreshRefusal(new AptRefreshLog(), 127)?.code).toBe('host_tool_missing');
    expect(refreshRefusal(read('some-failing-trixie'), null)?.message).toMatch(/signal/);
    expect(refreshRefusal(new AptRefreshLog(), 0)).toBeNull();
  });
});
