const PAGES = [
  { href: '/jobs', label: 'Jobs' },
  { href: '/batches', label: 'Batches' },
  { href: '/schedules', label: 'Schedules' },
  { href: '/windows', label: 'Maintenance windows' },
  { href: '/templates', label: 'Templates' },
] as const;

/** The ways between the pages about work: what was done, what starts by itself, and when. */
export function JobsNavigation({ at }: { readonly at: string }) {
  return (
    <nav class="tabs" aria-label="Jobs">
      {PAGES.map(({ href, label }) => (
        <a key={href} href={href} aria-current={href === at ? 'page' : undefined}>
          {label}
        </a>
      ))}
    </nav>
  );
}
