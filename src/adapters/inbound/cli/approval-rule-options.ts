import { type Command, Option } from 'commander';
import {
  APPROVER_ROLES,
  type ApprovalRule,
  MAX_APPROVERS,
  type RawApprovalRule,
} from '../../../domain/access/approval-rule.ts';
import { wholeNumber } from './arguments.ts';

export interface RuleOptions {
  readonly fourEyes?: boolean;
  readonly approverRole?: string;
  readonly approvers?: number;
}

/** Who has to approve requests. */
export const withRule = (command: Command): Command =>
  command
    .option('--four-eyes', 'not users who asked, saw the secret of the token, or started the dry run')
    .option('--no-four-eyes', 'any user with the role can approve')
    .addOption(new Option('--approver-role <role>', 'lowest role that can approve').choices(APPROVER_ROLES))
    .addOption(
      new Option('--approvers <n>', `how many users have to approve, 1 to ${MAX_APPROVERS}`).argParser(
        wholeNumber(1, MAX_APPROVERS),
      ),
    );

/** The rule with these options; undefined if there are none. */
export const changedRule = (
  { fourEyes, approverRole, approvers }: RuleOptions,
  before: ApprovalRule,
): RawApprovalRule | undefined =>
  fourEyes === undefined && approverRole === undefined && approvers === undefined
    ? undefined
    : {
        fourEyes: fourEyes ?? before.fourEyes,
        role: approverRole ?? before.role,
        approvers: approvers ?? before.approvers,
      };
