import { Icon } from '../../components/icon.tsx';

interface Step {
  readonly label: string;
  readonly done: boolean;
  readonly href: string;
  /** The server whose backup one click starts; the link leads elsewhere without one. */
  readonly backup?: number | null;
}

/** What is known of a service that was just set up. */
export interface FirstSteps {
  readonly servers: number;
  readonly backedUp: boolean;
  readonly schedules: number;
  /** The first backup: the server that is ready for it, and else the page that makes one ready. */
  readonly first: { readonly server: number | null; readonly href: string };
}

const stepsOf = ({ servers, backedUp, schedules, first }: FirstSteps): readonly Step[] => [
  { label: 'Create an account', done: true, href: '/account' },
  { label: 'Add a server', done: servers > 0, href: '/servers/new' },
  {
    label: 'Run the first backup',
    done: backedUp,
    href: first.href,
    backup: first.server,
  },
  { label: 'Back up every night', done: schedules > 0, href: '/schedules/new?type=backup' },
];

/** What comes after that, and does not end the first run. */
const LATER = [
  { label: 'Get alerts', href: '/settings/alerts' },
  { label: 'Connect an agent', href: '/settings/tokens' },
];

/** Large fleets came from somewhere else, and know what they do. */
export const MAX_SERVERS = 5;

/** Whether first steps are still to be done. */
export const isFirstRun = ({ servers, backedUp, schedules }: FirstSteps): boolean =>
  servers <= MAX_SERVERS && (servers === 0 || !backedUp || schedules === 0);

/** In place of a verdict: nothing can be wrong that was not set up yet. */
export function Checklist({ steps }: { readonly steps: FirstSteps }) {
  const all = stepsOf(steps);
  const next = all.find(({ done }) => !done);
  return (
    <section class="card" aria-labelledby="checklist-title" id="checklist">
      <header>
        <h2 id="checklist-title">First steps</h2>
        <span class="count">
          {all.filter(({ done }) => done).length} of {all.length}
        </span>
      </header>
      <ol class="body checklist">
        {all.map((step) => (
          <li key={step.label} class={step.done ? 'done' : undefined}>
            <Icon name={step.done ? 'circle-check' : 'circle-dashed'} />
            {step.done ? (
              <span>
                {step.label}
                <span class="hidden"> (done)</span>
              </span>
            ) : step.backup ? (
              <form method="post" action={`/servers/${step.backup}/start`}>
                <input type="hidden" name="job_type" value="backup" />
                <button type="submit" class={step === next ? undefined : 'plain'}>
                  {step.label}
                </button>
              </form>
            ) : (
              <a class={step === next ? 'button' : undefined} href={step.href}>
                {step.label}
              </a>
            )}
          </li>
        ))}
      </ol>
      <p class="body quiet">
        Then:{' '}
        {LATER.map(({ label, href }, index) => (
          <span key={href}>
            {index === 0 ? '' : ', '}
            <a href={href}>{label.toLowerCase()}</a>
          </span>
        ))}
        .
      </p>
    </section>
  );
}
