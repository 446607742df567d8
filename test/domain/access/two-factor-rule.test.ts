import { expect, test } from 'vitest';
import { needsTwoFactor, ROLES, TWO_FACTOR_RULES } from '../../../src/domain/access/role.ts';

test('A rule for two-factor authentication covers a role and every higher one', () => {
  const covered = TWO_FACTOR_RULES.map((rule) => ROLES.filter((role) => needsTwoFactor(rule, role)));
  expect(covered).toEqual([
    [],
    ['administrator'],
    ['administrator', 'operator'],
    ['administrator', 'operator', 'viewer'],
  ]);
});
