import { describe, expect, test } from 'vitest';
import type { InvalidInput } from '../../../src/domain/base/errors.ts';
import {
  describeChange,
  describeServer,
  type ServerDescription,
} from '../../../src/domain/fleet/server-description.ts';

const description = (over: Partial<ServerDescription> = {}): ServerDescription => ({
  name: 'web-1',
  connection: 'ssh',
  hostname: 'web-1.example.org',
  ...over,
});

const pathsOf = (work: () => unknown): readonly string[] => {
  try {
    work();
    return [];
  } catch (error) {
    return (error as InvalidInput).problems.map((problem) => problem.path);
  }
};

describe('a description of a server', () => {
  test('gets the usual values for what it leaves out', () => {
    expect(describeServer(description())).toEqual({
      name: 'web-1',
      address: {
        connection: 'ssh',
        hostname: 'web-1.example.org',
        sshPort: 22,
        sshUsername: 'root',
        sshKeyId: null,
        hostKey: null,
        become: 'none',
        jumpServerId: null,
      },
      tags: [],
      features: { backup: false, os_patch: false, docker: false },
      jail: null,
      jailDeny: [],
      composeDirs: [],
      updateChecks: [],
      notes: '',
    });
  });

  test('names every fault at its place', () => {
    expect(
      pathsOf(() =>
        describeServer(
          description({
            name: '-x',
            hostname: '-oProxyCommand=touch x',
            sshPort: 0,
            sshUsername: 'root;id',
            tags: ['ok', 'No'],
            jail: '/etc',
            jailDeny: ['ok', 'a/b'],
          }),
        ),
      ),
    ).toEqual(['/name', '/hostname', '/ssh_port', '/ssh_username', '/tags/1', '/jail', '/jail_deny/1']);
  });

  test.each(['$(touch x)', '`id`', 'a b', 'a\nb', "a'b", 'a;b', '-oProxyCommand=x', ''])(
    'refuses the host name %j',
    (hostname) => {
      expect(pathsOf(() => describeServer(description({ hostname })))).toContain('/hostname');
    },
  );

  test('takes addresses of IPv6, but no port', () => {
    expect(() => describeServer(description({ hostname: 'fd00::1' }))).not.toThrow();
    for (const hostname of ['web.example.org:22', '192.0.2.7:22', 'web:'])
      expect(pathsOf(() => describeServer(description({ hostname })))).toEqual(['/hostname']);
  });

  test('asks for the host key to be confirmed again when the host changes, and only then', () => {
    expect(describeChange({ hostname: 'other' }).address).toEqual({ hostname: 'other', hostKey: null });
    expect(describeChange({ sshUsername: 'drover' }).address).toEqual({ sshUsername: 'drover' });
  });
});
