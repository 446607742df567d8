import { expect, test } from 'vitest';
import { ROLES } from '../../../src/domain/access/role.ts';
import { needsTwoFactor, TWO_FACTOR_RULES } from '../../../src/domain/access/two-factor-rule.ts';

test('A rule for two-factor authentication covers a role and every higher one', () => {
  const covered = TWO_FACTOR_RULES.map((rule) => ROLES.filter((role) => needsTwoFactor(rule, role)));
  expect(covered).toEqual([
    [],
    ['administrator'],
    ['administrator', 'operator'],
    ['administrator', 'operator', 'viewer'],
  ]);
});
