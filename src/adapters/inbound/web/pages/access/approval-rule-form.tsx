import {
  APPROVER_ROLES,
  type ApprovalRule,
  type ApproverRole,
  MAX_APPROVERS,
  type RawApprovalRule,
} from '../../../../../domain/access/approval-rule.ts';
import { count } from '../../../../../domain/base/spans.ts';
import { Choices, Field, FormFault, type FormState, Select } from '../../components/form.tsx';

const ROLES: Readonly<Record<ApproverRole, string>> = {
  operator: 'Operators and administrators',
  administrator: 'Administrators only',
};

/** Such as `1 approval by operators and administrators`. */
export const approvalWords = ({ role, approvers, fourEyes }: ApprovalRule): string =>
  `${count(approvers, 'approval')} by ${ROLES[role].toLowerCase()}${fourEyes ? ', not by the requester' : ''}`;

interface FieldsProps {
  readonly state: FormState;
  readonly rule: ApprovalRule;
}

/** Who has to approve requests. */
export const ApprovalRuleFields = ({ state, rule }: FieldsProps) => (
  <>
    <Choices
      state={state}
      name="four_eyes"
      legend="Second person"
      type="checkbox"
      chosen={rule.fourEyes ? ['yes'] : []}
      choices={[
        {
          value: 'yes',
          label: 'Someone else approves',
          help: 'Not users who made the request, created the token or replaced its secret, or started the dry run.',
        },
      ]}
    />
    <Select
      state={state}
      name="approver_role"
      label="Who can approve"
      value={rule.role}
      options={APPROVER_ROLES.map((value) => ({ value, label: ROLES[value] }))}
    />
    <Field
      state={state}
      name="approvers"
      label="Number of approvals"
      help={`How many users have to approve a request, from 1 to ${MAX_APPROVERS}.`}
      inputmode="numeric"
      value={String(rule.approvers)}
    />
  </>
);

export const approvalRuleOf = (form: URLSearchParams): RawApprovalRule => ({
  fourEyes: form.get('four_eyes') === 'yes',
  role: form.get('approver_role') ?? '',
  approvers: wholeNumber(form.get('approvers') ?? ''),
});

/** Not `Number` alone, which takes an empty text for 0 and `1e0` for 1. */
const wholeNumber = (text: string): number => (/^[0-9]{1,3}$/.test(text.trim()) ? Number(text) : Number.NaN);

interface FormProps extends FieldsProps {
  readonly action: string;
}

/** The rule for all requests. */
export const ApprovalRuleForm = ({ action, rule, state }: FormProps) => (
  <form method="post" action={action} class="column">
    <FormFault state={state} />
    <p class="quiet">
      For requests of every token that needs approval. A token can have a stricter rule. The command line on
      Drover’s machine counts as no user: it can only override this rule, with a note.
    </p>
    <ApprovalRuleFields state={state} rule={rule} />
    <button type="submit" class="quiet">
      Save
    </button>
  </form>
);
