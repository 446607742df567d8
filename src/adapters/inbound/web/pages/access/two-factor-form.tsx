import { TWO_FACTOR_RULES, type TwoFactorRule } from '../../../../../domain/access/role.ts';
import { Choices, FormFault, type FormState } from '../../components/form.tsx';

export const TWO_FACTOR_LABELS: Readonly<Record<TwoFactorRule, string>> = {
  none: 'No account',
  administrators: 'Administrators',
  operators: 'Operators and administrators',
  everyone: 'All accounts',
};

interface TwoFactorFormProps {
  readonly action: string;
  readonly rule: TwoFactorRule;
  readonly state: FormState;
}

/** Which accounts require two-factor authentication. */
export const TwoFactorForm = ({ action, rule, state }: TwoFactorFormProps) => (
  <form method="post" action={action} class="column">
    <FormFault state={state} />
    <Choices
      state={state}
      name="two_factor"
      legend="Required for"
      type="radio"
      chosen={[rule]}
      choices={TWO_FACTOR_RULES.map((value) => ({ value, label: TWO_FACTOR_LABELS[value] }))}
      help="Users who have not set it up must do so before they can do anything else, starting with their next request."
    />
    <button type="submit" class="quiet">
      Save
    </button>
  </form>
);
