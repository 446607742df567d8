import type { NavigationCounts } from '../../../../application/fleet/count-for-navigation.ts';
import type { Role } from '../../../../domain/access/role.ts';
import { groupsFor, MAIN_PLACES, type NavPlace, SETTINGS } from '../navigation.ts';
import { Icon } from './icon.tsx';
import { Logo } from './logo.tsx';

interface SidebarProps {
  readonly role: Role;
  readonly at: NavPlace | null;
  readonly counts: NavigationCounts | null;
}

/** The places that a phone shows at its lower edge. */
const ON_PHONES = ['/', '/servers', '/approvals', '/jobs'];

/**
 * All navigation entries. On a phone it is the menu of "More", which the browser opens without a script, with the
 * entries that are not in the bar: the alerts first.
 */
export const Sidebar = ({ role, at, counts }: SidebarProps) => (
  <nav class="side" id="places" popover="auto" aria-label="Main">
    <a class="brand" href="/" aria-label="Drover, overview">
      <Logo />
      <span>Drover</span>
    </a>
    {groupsFor(role).map(({ label, places }) => (
      <>
        {label === null ? null : <p class="group">{label}</p>}
        {places.map((place) => (
          <Place key={place.href} place={place} at={at} counts={counts} />
        ))}
      </>
    ))}
    <Place place={SETTINGS} at={at} counts={counts} last />
  </nav>
);

export function TabBar({ role, at, counts }: SidebarProps) {
  const places = groupsFor(role).flatMap((group) => group.places);
  const shown = ON_PHONES.flatMap((href) => places.find((place) => place.href === href) ?? []);
  // Behind "More", which counts them.
  const alerts = places.find(({ href }) => href === '/notifications');
  return (
    <nav class="tabbar" aria-label="Quick">
      {shown.map((place) => (
        <a key={place.href} href={place.href} aria-current={place === at ? 'page' : undefined}>
          <Icon name={place.icon} />
          <span>{place.label}</span>
          {place.href === '/servers' ? null : <Count place={place} counts={counts} />}
        </a>
      ))}
      <button type="button" popovertarget="places" title={alerts && titleOf(alerts, counts)}>
        <Icon name="menu" />
        <span>More</span>
        {alerts ? <Count place={alerts} counts={counts} /> : null}
      </button>
    </nav>
  );
}

function Place({
  place,
  at,
  counts,
  last = false,
}: Pick<SidebarProps, 'at' | 'counts'> & { readonly place: NavPlace; readonly last?: boolean }) {
  return (
    <a
      class={last ? 'place last' : ON_PHONES.includes(place.href) ? 'place desk' : 'place'}
      href={place.href}
      title={titleOf(place, counts)}
      aria-current={place === at ? 'page' : undefined}
    >
      <Icon name={place.icon} />
      <span>{place.label}</span>
      <Count place={place} counts={counts} />
    </a>
  );
}

const numberOf = ({ count }: NavPlace, counts: NavigationCounts | null): number =>
  count && counts ? counts[count.of] : 0;

/** Is read out after the place's name. */
const titleOf = (place: NavPlace, counts: NavigationCounts | null): string | undefined =>
  numberOf(place, counts) > 0 ? `${numberOf(place, counts)} ${place.count?.words}` : undefined;

/** None: empty, and not shown. */
function textOf(place: NavPlace, counts: NavigationCounts | null): string {
  const number = numberOf(place, counts);
  return number === 0 ? '' : number > 9_999 ? `${Math.floor(number / 1_000)}k` : String(number);
}

/** A script keeps it up to date. */
const Count = ({ place, counts }: { readonly place: NavPlace; readonly counts: NavigationCounts | null }) =>
  place.count === undefined ? null : (
    <span class={`count ${place.count.tone}`} aria-hidden="true" data-count={place.count.of}>
      {textOf(place, counts)}
    </span>
  );

/** By the number's name: its text and title. */
export const shownCounts = (counts: NavigationCounts): Readonly<Record<string, readonly [string, string]>> =>
  Object.fromEntries(
    MAIN_PLACES.flatMap((place) =>
      place.count === undefined
        ? []
        : [[place.count.of, [textOf(place, counts), titleOf(place, counts) ?? '']]],
    ),
  );
