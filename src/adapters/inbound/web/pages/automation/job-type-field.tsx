import { type JobType, jobTitle, REPEATABLE_JOB_TYPES } from '../../../../../domain/jobs/job-types.ts';
import { wordsOf } from '../jobs/job-words.ts';

interface JobTypeFieldProps {
  readonly type: JobType;
  readonly label: string;
  /** The page that shows the form with the fields of the chosen type. */
  readonly path: string;
}

/** The fields below follow it: at once with a script, else after a click. */
export const JobTypeField = ({ type, label, path }: JobTypeFieldProps) => (
  <div class="field">
    <label for="type">{label}</label>
    <select
      id="type"
      name="type"
      aria-describedby="type-help"
      hx-get={path}
      hx-trigger="change"
      hx-include="closest form"
      hx-select="main"
      hx-target="main"
      hx-swap="outerMorph"
    >
      {REPEATABLE_JOB_TYPES.map((each) => (
        <option key={each} value={each} selected={each === type}>
          {jobTitle(each)}
        </option>
      ))}
    </select>
    <span id="type-help" class="help">
      {wordsOf(type).help}
    </span>
    <input type="hidden" name="fields_of" value={type} />
    <noscript>
      <button type="submit" class="quiet small" formmethod="get" formaction={path} formnovalidate>
        Show its fields
      </button>
    </noscript>
  </div>
);
