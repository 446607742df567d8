import { type JobType, jobTitle } from '../../../../../domain/jobs/job-types.ts';
import { wordsOf } from './job-words.ts';

interface TypeFormProps {
  /** From the list; a new one is created below it. */
  readonly path: string;
  readonly label: string;
  readonly types: readonly JobType[];
  /** The preselection of the next step. */
  readonly server?: number | null;
}

/** The first step of a schedule or batch: the job type. */
export function TypeForm({ path, label, types, server = null }: TypeFormProps) {
  return (
    <form method="get" action={`${path}/new`} class="column">
      {server === null ? null : <input type="hidden" name="server" value={server} />}
      <div class="field">
        <label for="type">{label}</label>
        <select id="type" name="type">
          {types.map((type) => (
            <option key={type} value={type}>
              {jobTitle(type)}: {wordsOf(type).help}
            </option>
          ))}
        </select>
      </div>
      <p class="actions">
        <button type="submit">Continue</button>
        <a href={path}>Cancel</a>
      </p>
    </form>
  );
}
