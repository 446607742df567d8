import { describe, expect, test } from 'vitest';
import { groupRoles, rolesOfGroups, rolesText } from '../../../src/domain/access/sso-provider.ts';
import type { InputProblem } from '../../../src/domain/base/errors.ts';

const read = (raw: string) => {
  const problems: InputProblem[] = [];
  return { roles: groupRoles(raw, problems), problems: problems.map(({ path }) => path) };
};

describe('A table of groups and roles', () => {
  test('has lines or commas, and groups that contain = and @', () => {
    const text = 'cn=admins,\n ops = operator @ web \nteam@example.org=viewer';
    const { roles, problems } = read(text.replace('cn=admins', 'cn=admins=administrator'));
    expect(problems).toEqual([]);
    expect(roles).toEqual([
      { group: 'cn=admins', role: 'administrator' },
      { group: 'ops', role: 'operator', tag: 'web' },
      { group: 'team@example.org', role: 'viewer' },
    ]);
    expect(read(rolesText(roles)).roles).toEqual(roles);
  });

  test.each([
    'ops=king@web',
    'ops=operator@',
    'ops=operator@a b',
    'ops=operator@a@b',
    'ops@web',
    '=viewer@web',
  ])('refuses %s', (raw) => {
    expect(read(raw)).toEqual({ roles: [], problems: ['/roles'] });
  });

  test('gives the highest role on all servers and by each tag, and none without a group', () => {
    const { roles } = read(
      'staff=viewer\nops=operator@web\nlead=administrator@web\nlead=viewer@db\nops=operator@db',
    );
    expect(rolesOfGroups(roles, ['ops', 'lead'])).toEqual({
      role: null,
      tagRoles: [
        { tag: 'db', role: 'operator' },
        { tag: 'web', role: 'administrator' },
      ],
    });
    expect(rolesOfGroups(roles, ['staff', 'other'])).toEqual({ role: 'viewer', tagRoles: [] });
    expect(rolesOfGroups(roles, ['OPS', 'other'])).toBeNull();
  });
});
