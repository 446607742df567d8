import { count } from '../../../../../domain/base/spans.ts';
import { Icon } from '../../components/icon.tsx';
import type { Group } from './attention-groups.tsx';

/** Beside something that does not work; the list has the rest. */
const MAX_MORE = 2;

interface VerdictProps {
  readonly groups: readonly Group[];
  readonly hosts: number;
  /** Servers with something that does not work. */
  readonly failing: number;
}

/** The answer to "is anything wrong?". */
export function Verdict({ groups, hosts, failing }: VerdictProps) {
  const of = (wanted: Group['weight'], most = groups.length): string =>
    listed(
      groups
        .filter(({ weight }) => weight === wanted)
        .toSorted((one, other) => Number(other.ofServers) - Number(one.ofServers))
        .slice(0, most)
        .map(({ words, brief }) => (failing > 0 ? brief : words)),
    );
  const [bad, care] = [of('bad'), of('care', failing > 0 ? MAX_MORE : undefined)];
  const tone = bad !== '' ? 'bad' : care !== '' ? 'care' : 'good';
  const title =
    failing > 0
      ? `${count(failing, 'server')} ${failing === 1 ? 'needs' : 'need'} attention now`
      : bad !== ''
        ? `${bad}.`
        : care !== ''
          ? 'No outages.'
          : `No problems on ${count(hosts, 'server')}.`;
  return (
    <div class={`banner ${tone}`} id="verdict">
      <Icon name={tone === 'good' ? 'circle-check' : 'circle-alert'} />
      <div>
        <strong>{title}</strong>
        {failing > 0 ? (
          <p>
            {bad}.{care === '' ? null : <span class="desk"> {care}.</span>}
          </p>
        ) : care === '' ? null : (
          <p>{care}.</p>
        )}
      </div>
    </div>
  );
}

const listed = (parts: readonly string[]): string =>
  parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;

/** A line per kind, with the worst cases in it. */
export function Attention({ groups }: { readonly groups: readonly Group[] }) {
  return (
    <section class="card" aria-labelledby="attention-title">
      <header>
        <h2 id="attention-title">Needs attention</h2>
        {groups.length === 0 ? null : (
          <span class={`count ${groups.some(({ weight }) => weight === 'bad') ? 'bad' : 'care'}`}>
            {groups.length}
          </span>
        )}
        <div class="acts">
          <a class="button ghost small" href="/notifications">
            All alerts
          </a>
        </div>
      </header>
      {groups.length === 0 ? (
        <p class="body quiet">No problems. They appear here, worst first.</p>
      ) : (
        <ul class="issues">
          {groups.map((group) => (
            <Issue key={group.key} group={group} />
          ))}
        </ul>
      )}
    </section>
  );
}

/** It stays at the end of a line. */
const SEPARATOR = '\u00a0· ';

const Issue = ({
  group: {
    key,
    weight,
    icon,
    words,
    total,
    all,
    cases,
    shown = cases.length,
    onPhone = 1,
    narrow = Math.min(onPhone, shown),
    action,
  },
}: {
  readonly group: Group;
}) => (
  <li id={`attention-${key}`}>
    <span class={`sign ${weight}`}>
      <Icon name={icon} />
    </span>
    <div class="grow">
      <strong>{words}</strong>
      <p>
        {cases.map((each, index) => (
          <span key={each.key} id={`attention-${each.key}`} class={index < onPhone ? undefined : 'desk'}>
            {index === 0 ? '' : SEPARATOR}
            {each.host === null ? null : <a href={`/servers/${each.host.id}`}>{each.host.name}</a>}{' '}
            {each.text}
          </span>
        ))}
        <More of={total - shown} {...{ all, words }} at="desk" />
        <More of={total - narrow} {...{ all, words }} at="phone" />
      </p>
    </div>
    {action}
  </li>
);

/** The link to those that are not named: how many depends on how many names there is room for. */
const More = ({
  of,
  all,
  words,
  at,
}: Pick<Group, 'all' | 'words'> & { readonly of: number; readonly at: 'desk' | 'phone' }) =>
  of > 0 ? (
    <span class={at}>
      {SEPARATOR}
      <a href={all} aria-label={`${of} more: ${words}`}>
        {of} more
      </a>
    </span>
  ) : null;
