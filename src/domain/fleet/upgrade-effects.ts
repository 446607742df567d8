import type { PackageChange } from './package-change.ts';

/** Packages of services that the package manager restarts when it upgrades them, and what people call the service. */
const SERVICES: readonly (readonly [pattern: RegExp, service: string])[] = [
  [/^(nginx|haproxy|redis|valkey|memcached|postfix|containerd|rsyslog|cron|squid|varnish)(?:[.-]|$)/, '$1'],
  [/^(?:apache2|httpd)$/, 'apache'],
  [/^openssh(?:-server)?$/, 'ssh'],
  [/^(?:mariadb|mysql|postgresql|mongodb|rabbitmq)(?:-(?:community-)?server|-org-server|-\d+)/, 'database'],
  [/^docker(?:\.io|-ce|-engine)?$/, 'docker'],
  [/^php[\d.]*-fpm$/, 'php'],
  [/^dovecot(?:-core)?$/, 'dovecot'],
  [/^(?:bind9|bind|unbound)$/, 'dns'],
  [/^(?:samba|smbd)$/, 'samba'],
];

const KERNEL = /^(?:linux-image(?:-|$)|kernel(?:-core|-default|-uek)?$|linux(?:-lts|-hardened|-zen)?$)/;

type Change = Pick<PackageChange, 'kind' | 'name'>;

/** The services that an upgrade is known to restart; there may be others. */
export const restartsOf = (changes: readonly Change[]): readonly string[] => [
  ...new Set(
    changes.flatMap(({ kind, name }) => {
      const [pattern, service = ''] = SERVICES.find(([each]) => kind === 'upgrade' && each.test(name)) ?? [];
      return pattern === undefined ? [] : [service.replace('$1', pattern.exec(name)?.[1] ?? '')];
    }),
  ),
];

/** The new kernel runs only after a reboot. */
export const bringsKernel = (changes: readonly Change[]): boolean =>
  changes.some(({ kind, name }) => kind !== 'remove' && KERNEL.test(name));
