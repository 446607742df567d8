import type { ManageSources } from '../../../../../application/backups/manage-sources.ts';
import type { ListServers } from '../../../../../application/fleet/list-servers.ts';
import type { Actor } from '../../../../../domain/access/actor.ts';
import type { BatchBounds } from '../../../../../domain/automation/batch.ts';
import { FindBoxes } from '../../components/find-boxes.tsx';
import { Choices, Field, type FormState } from '../../components/form.tsx';
import { listOf } from '../../form-state.ts';

const KINDS = [
  ['all', 'All servers'],
  ['tags', 'Servers with a tag'],
  ['ids', 'These servers'],
] as const;

/** What can be chosen from lists instead of being typed. */
export interface SelectorChoices {
  /** The names of all servers; `null`: there are too many for a list. */
  readonly servers: readonly string[] | null;
  readonly tags: readonly string[];
}

/** The same of a job, with the names of backup sources. */
export interface JobChoices extends SelectorChoices {
  readonly sourceNames: readonly string[];
}

const MAX_LISTED = 100;

export async function selectorChoices(
  listServers: Pick<ListServers, 'execute' | 'tags'>,
  actor: Actor,
): Promise<SelectorChoices> {
  const [{ items, total }, tags] = await Promise.all([
    listServers.execute(actor, { limit: MAX_LISTED, offset: 0 }),
    listServers.tags(actor, MAX_LISTED),
  ]);
  return {
    servers: total > items.length ? null : items.map(({ name }) => name),
    tags: tags.map(({ tag }) => tag),
  };
}

export const jobChoices = async (
  {
    listServers,
    manageSources,
  }: {
    readonly listServers: Pick<ListServers, 'execute' | 'tags'>;
    readonly manageSources: Pick<ManageSources, 'names'>;
  },
  actor: Actor,
): Promise<JobChoices> => ({
  ...(await selectorChoices(listServers, actor)),
  sourceNames: await manageSources.names(actor, MAX_LISTED),
});

interface SelectorProps {
  readonly state: FormState;
  readonly choices?: SelectorChoices;
  /** The choice of a new form. */
  readonly usual?: (typeof KINDS)[number][0];
  /** It selects once: servers that are added later are not included. */
  readonly isOnce?: boolean;
}

/** Which servers to select: all, by tag, or by name. */
export function SelectorFields({ state, choices, usual = 'ids', isOnce = false }: SelectorProps) {
  const chosen = state.typed.get('selector') ?? usual;
  // Errors of its fields are shown there.
  const fault = state.problems.find(({ path }) => path === '/selector')?.message ?? null;
  return (
    <fieldset
      class={fault === null ? 'field' : 'field wrong'}
      aria-describedby={fault === null ? undefined : 'selector-fault'}
    >
      <legend>Servers</legend>
      {KINDS.map(([value, label]) => (
        <label key={value} class="choice">
          <input type="radio" name="selector" value={value} checked={value === chosen} />
          <span>{isOnce || value === 'ids' ? label : `${label}, including those added later`}</span>
        </label>
      ))}
      <div class="if-ids">
        <Listed
          state={state}
          name="servers"
          label="Servers"
          path="/selector/ids"
          help="Server names or IDs, comma-separated."
          options={choices?.servers ?? null}
        />
      </div>
      <div class="if-tags">
        <Listed
          state={state}
          name="tags"
          label="Tags"
          path="/selector/tags"
          help="Servers with any of these tags, comma-separated."
          options={choices?.tags ?? null}
        />
      </div>
      {fault === null ? null : (
        <p class="fault" id="selector-fault">
          {fault}
        </p>
      )}
    </fieldset>
  );
}

interface ListedProps {
  readonly state: FormState;
  readonly name: 'servers' | 'tags';
  readonly label: string;
  readonly path: string;
  readonly help: string;
  /** `null`: typed. */
  readonly options: readonly string[] | null;
}

/** Checkboxes, those that are chosen first, or a field if there are too many or none. What was typed and is in no list stays. */
function Listed({ state, options, ...field }: ListedProps) {
  if (options === null || options.length === 0) return <Field state={state} {...field} required={false} />;
  const typed = listOf(state.typed, field.name);
  const all = [
    ...options.filter((each) => typed.includes(each)),
    ...typed.filter((each) => !options.includes(each)),
    ...options.filter((each) => !typed.includes(each)),
  ];
  return (
    <FindBoxes what={field.label.toLowerCase()} count={all.length}>
      <Choices
        state={{ ...state, typed: new URLSearchParams() }}
        name={field.name}
        path={field.path}
        legend={field.label}
        type="checkbox"
        chosen={typed}
        choices={all.map((value) => ({ value, label: value }))}
      />
    </FindBoxes>
  );
}

/** How many servers at once, and when to stop. */
export function BoundsFields({ state }: { readonly state: FormState }) {
  return (
    <div class="two">
      <Field
        state={state}
        name="max_parallel"
        label="Parallel servers"
        help="Maximum number of servers at a time."
        value="10"
        inputmode="numeric"
        required={false}
      />
      <Field
        state={state}
        name="canary"
        label="Canary servers"
        help="Number of servers that go first; the others follow only if all of them succeed. 0: none."
        value="0"
        inputmode="numeric"
        required={false}
      />
      <Field
        state={state}
        name="stop_after_failures"
        label="Stop after failures"
        help="Start no more jobs after this many failures. Empty: never stop."
        inputmode="numeric"
        required={false}
      />
    </div>
  );
}

/** Bounds in a few words. */
export const boundsText = ({ maxParallel, canary, stopAfterFailures }: BatchBounds): string =>
  [
    `${maxParallel} at a time`,
    canary > 0 ? `${canary} first` : '',
    stopAfterFailures === null ? '' : `stops after ${stopAfterFailures} failed`,
  ]
    .filter(Boolean)
    .join(', ');
