const PAGES = [
  { href: '/settings/tokens', label: 'API management' },
  { href: '/settings/users', label: 'People' },
] as const;

/** The ways between the pages of the settings. */
export function SettingsNavigation({ at }: { readonly at: string }) {
  return (
    <nav class="tabs" aria-label="Settings">
      {PAGES.map(({ href, label }) => (
        <a key={href} href={href} aria-current={href === at ? 'page' : undefined}>
          {label}
        </a>
      ))}
    </nav>
  );
}
