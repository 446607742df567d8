import { capital } from '../../../../../domain/base/spans.ts';
import type { Deployment } from '../../../../../domain/compose/deployment.ts';
import type { Template } from '../../../../../domain/compose/template.ts';
import { MIN_SECRET_LENGTH, type TemplateVariable } from '../../../../../domain/compose/template-variable.ts';
import type { Server } from '../../../../../domain/fleet/server.ts';
import type { JobType } from '../../../../../domain/jobs/job-types.ts';
import { Field, type FormState, Select } from '../../components/form.tsx';
import { VARIABLE_PREFIX } from '../../job-request.ts';

interface TemplateFieldsProps {
  readonly type: JobType;
  readonly template: Template;
  readonly server: Server;
  readonly state: FormState;
  /** The current deployment in the directory, if known. */
  readonly former: Deployment | null;
}

/** A template's target, and a field for each of its variables. */
export function TemplateFields({ type, template, server, state, former }: TemplateFieldsProps) {
  const again = type === 'template_redeploy';
  return (
    <>
      <p class="quiet">
        <a href={`/templates/${template.name}`}>{template.name}</a>, version {template.version}
        {former !== null && former.templateVersion < template.version
          ? `; ${server.name} has version ${former.templateVersion}`
          : null}
        {template.description === '' ? null : `. ${template.description}`}
      </p>
      {again ? (
        <input type="hidden" name="source_filter" value={former?.directory ?? ''} />
      ) : (
        <>
          <input type="hidden" name="template" value={template.name} />
          <Field
            state={state}
            name="source_filter"
            label="Directory"
            help={`A separate directory directly below ${server.composeDirs.join(' or ')}. Created if it does not exist.`}
            value={`${server.composeDirs[0] ?? ''}/${template.name}`}
          />
        </>
      )}
      {template.variables.map((variable) => (
        <Variable key={variable.name} {...{ variable, state, former: again ? former : null }} />
      ))}
    </>
  );
}

function Variable({
  variable,
  state,
  former,
}: {
  readonly variable: TemplateVariable;
  readonly state: FormState;
  readonly former: Deployment | null;
}) {
  const { name, type, description } = variable;
  const kept = former !== null && (name in former.values || former.secretNames.includes(name));
  const value = former?.values[name] ?? variable.default ?? '';
  const needed = variable.required && variable.default === null && !kept;
  const field = {
    state,
    name: `${VARIABLE_PREFIX}${name}`,
    path: `/variables/${name}`,
    label: labelOf(variable),
  };
  // A description that is too long for a label.
  const about = field.label === description ? '' : sentence(description);
  if (type === 'choice' || type === 'boolean') {
    const choices = type === 'choice' ? variable.choices : ['true', 'false'];
    const options = choices.map((each) => ({ value: each, label: each }));
    return (
      <Select
        {...field}
        help={<Help name={name} text={about} />}
        value={value}
        options={needed ? [{ value: '', label: 'Choose one' }, ...options] : options}
      />
    );
  }
  if (type === 'secret') {
    const hint = kept
      ? 'Empty: no change.'
      : needed
        ? `At least ${MIN_SECRET_LENGTH} characters.`
        : `At least ${MIN_SECRET_LENGTH} characters, or empty.`;
    return (
      <Field
        {...field}
        type="password"
        help={
          <>
            <Help name={name} text={`${about} ${hint} It is encrypted, and never shown again.`.trim()} />{' '}
            <button type="button" class="quiet small" data-generate={field.name} hidden>
              Generate
            </button>
          </>
        }
        autocomplete="new-password"
        required={needed}
      />
    );
  }
  const digits = type === 'port' || type === 'integer';
  return (
    <Field
      {...field}
      help={<Help name={name} text={about} />}
      value={value}
      required={needed}
      {...(digits ? { inputmode: 'numeric' as const } : {})}
    />
  );
}

const Help = ({ name, text }: { readonly name: string; readonly text: string }) => (
  <>
    <code>{name}</code> {text}
  </>
);

const MAX_LABEL = 60;

const labelOf = ({ name, description }: TemplateVariable): string =>
  description === '' || description.length > MAX_LABEL ? capital(name.replaceAll('_', ' ')) : description;

/** With a full stop, so that another sentence can follow. */
const sentence = (text: string): string => (text === '' || /[.!?]$/.test(text) ? text : `${text}.`);
