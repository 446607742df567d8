import { DAY, type Instant } from '../../domain/base/instant.ts';

/** Text files of the demo's servers by absolute path. What changes from day to day depends on the time. */
export type DemoFiles = ReadonlyMap<string, string>;

interface FileMaker {
  readonly path: string;
  readonly text: (server: string, day: number) => string;
}

const line = (text: string): (() => string) => {
  return () => `${text}\n`;
};

const FILES: readonly FileMaker[] = [
  { path: '/etc/hostname', text: (server) => `${server}\n` },
  {
    path: '/etc/hosts',
    text: (server) => `127.0.0.1 localhost\n127.0.1.1 ${server}.example.org ${server}\n`,
  },
  { path: '/etc/timezone', text: line('Europe/Berlin') },
  { path: '/etc/cron.d/certbot', text: line('0 */12 * * * root certbot -q renew') },
  {
    path: '/etc/nginx/nginx.conf',
    text: line('user www-data;\nworker_processes auto;\nevents { worker_connections 768; }'),
  },
  {
    path: '/etc/nginx/sites-enabled/site.conf',
    text: (server, day) =>
      `server {\n  listen 443 ssl;\n  server_name ${server}.example.org;\n  root /srv/www/site;\n  client_max_body_size ${day % 2 === 0 ? '8m' : '16m'};\n}\n`,
  },
  {
    path: '/srv/www/site/index.html',
    text: (server, day) =>
      `<!doctype html>\n<title>${server}</title>\n<h1>Welcome</h1>\n<p>Build ${1_000 + (day % 1_000)}</p>\n`,
  },
  { path: '/srv/www/site/css/site.css', text: line('body {\n  font-family: sans-serif;\n}') },
  { path: '/srv/www/site/robots.txt', text: line('User-agent: *\nDisallow: /admin/') },
  {
    path: '/srv/www/site/news.txt',
    text: (_, day) => Array.from({ length: 5 }, (_none, back) => `Entry of day ${day - back}\n`).join(''),
  },
  {
    path: '/srv/compose/shop/compose.yaml',
    text: line(
      'services:\n  app:\n    image: registry.example.org/shop:4.2\n    restart: unless-stopped\n    ports:\n      - "127.0.0.1:8080:3000"\n  cache:\n    image: redis:7\n    restart: unless-stopped',
    ),
  },
  {
    path: '/srv/compose/proxy/compose.yaml',
    text: line(
      'services:\n  caddy:\n    image: caddy:2\n    restart: unless-stopped\n    ports:\n      - "80:80"\n      - "443:443"\n      - "443:443/udp"',
    ),
  },
  {
    path: '/srv/compose/api/compose.yaml',
    text: line(
      'services:\n  api:\n    image: registry.example.org/api:9\n    restart: unless-stopped\n    ports:\n      - "8080:8080"\n  worker:\n    image: registry.example.org/worker:9\n    restart: unless-stopped',
    ),
  },
  {
    path: '/var/backups/mariadb/shop.sql',
    text: (_, day) => `-- Dump of day ${day}\nCREATE TABLE orders (id INT PRIMARY KEY);\n`,
  },
  { path: '/var/vmail/example.org/ann/new/1', text: line('Subject: Welcome') },
  {
    path: '/srv/shares/office/plan.txt',
    text: (_, day) => `Plan of week ${Math.floor(day / 7)}\n`,
  },
  { path: '/srv/shares/photos/readme.txt', text: line('Originals are kept for five years.') },
];

/** The files below these paths, as they were at a time. */
export function demoFiles(server: string, at: Instant, paths: readonly string[]): DemoFiles {
  const day = Math.floor(at / DAY);
  const isBelow = (path: string): boolean => paths.some((each) => path.startsWith(`${each}/`));
  return new Map(
    FILES.filter(({ path }) => isBelow(path)).map(({ path, text }) => [path, text(server, day)]),
  );
}

/** Texts that are older than these days have not changed since this time. */
const MAX_DAYS = 60;
export const DEMO_OLDEST: Instant = Date.UTC(2026, 0, 5, 9, 12);

/** When a file of the demo got this text, as seen at a time; `null` if a visitor wrote it. */
export function demoFileTime(
  server: string,
  { path, text, at }: { readonly path: string; readonly text: string; readonly at: Instant },
): Instant | null {
  const maker = FILES.find((each) => each.path === path);
  const isSince = (day: number): boolean => maker?.text(server, day) === text;
  const today = Math.floor(at / DAY);
  for (let day = today; day > today - MAX_DAYS; day -= 1) {
    if (isSince(day) && !isSince(day - 1)) return day * DAY;
  }
  return isSince(today) ? DEMO_OLDEST : null;
}
