import swc from '@swc/core';

/**
 * Who may import whom. Dependencies point inward: adapters, application, domain; only `bootstrap` knows everything.
 * test/architecture checks the rules, and that each of them finds a planted breach. `npx depcruise src` gives the same verdict.
 */

/** Ports that tell the time and take log lines: nothing of the application is behind them. */
const TIME_AND_LOG = ['base/clock', 'base/logger'];

/**
 * Other ports that inbound adapters import as yet. The list only gets shorter: each is work that belongs in a use case,
 * or, for the bodies of events, in an adapter that the application drives.
 *
 * @type {Readonly<Record<string, readonly string[]>>}
 */
export const PORTS_STILL_IMPORTED = {
  api: ['events/event-bodies'],
  cli: ['service/key-ring'],
  worker: [
    'jobs/job-queue',
    'jobs/lease-store',
    'service/process-list',
    'service/replica-store',
    'base/secret-box',
  ],
};

/** @type {(ports: readonly string[]) => string} */
const portsOf = (ports) => `/ports/(${ports.join('|')})[.]ts$`;

const BOOTSTRAP = '^src/adapters/bootstrap/';

/**
 * dependency-cruiser 17 has swc read .tsx as TypeScript without markup, and fails. Version 18 sets `tsx` itself, and needs
 * Node 22.
 */
const { parseFileSync } = swc;
Object.assign(swc, {
  /** @type {(file: string, options: import('@swc/core').ParseOptions) => import('@swc/core').Module} */
  parseFileSync: (file, options) =>
    parseFileSync(file, { ...options, syntax: 'typescript', tsx: file.endsWith('.tsx') }),
});

/** @type {import('dependency-cruiser').IConfiguration} */
const configuration = {
  forbidden: [
    {
      name: 'domain-is-pure',
      comment: 'The domain imports nothing from outside: no Node, no package, no other layer.',
      severity: 'error',
      from: { path: '^src/domain/' },
      to: { pathNot: '^src/domain/' },
    },
    {
      name: 'application-knows-only-ports',
      comment: 'Use cases know the domain, ports and types of Node streams; adapters are handed to them.',
      severity: 'error',
      from: { path: '^src/application/' },
      to: { pathNot: '^(src/(domain|application)/|stream$)' },
    },
    {
      name: 'ports-know-no-use-case',
      comment: 'A port says what the application needs, not who needs it.',
      severity: 'error',
      from: { path: '^src/application/ports/' },
      to: { path: '^src/application/', pathNot: '^src/application/ports/' },
    },
    {
      name: 'inbound-adapters-know-no-outbound',
      comment:
        'What drives the application knows nothing of what the application drives: bootstrap connects them.',
      severity: 'error',
      from: { path: '^src/adapters/inbound/' },
      to: { path: '^src/adapters/', pathNot: '^src/adapters/inbound/' },
    },
    {
      name: 'outbound-adapters-know-only-ports',
      comment:
        'What the application drives implements ports. It knows neither use cases nor what drives them.',
      severity: 'error',
      from: { path: '^src/adapters/outbound/' },
      to: { path: '^src/(application/(?!ports/)|adapters/(?!outbound/))' },
    },
    {
      name: 'outbound-adapters-keep-apart',
      comment:
        'Storage, notifications and the like do not import each other. Those that work on hosts share hosts/.',
      severity: 'error',
      from: { path: '^src/adapters/outbound/([^/]+)/' },
      to: { path: '^src/adapters/outbound/', pathNot: '^src/adapters/outbound/($1|hosts)/' },
    },
    {
      name: 'demo-knows-no-adapter',
      comment: 'The demonstration drives use cases and implements ports: it needs no adapter to do so.',
      severity: 'error',
      from: { path: '^src/adapters/demo/' },
      to: { path: '^src/adapters/', pathNot: '^src/adapters/demo/' },
    },
    {
      name: 'inbound-adapters-know-no-port',
      comment: 'What drives the application calls use cases: no store is asked past them.',
      severity: 'error',
      from: {
        path: '^src/adapters/inbound/',
        pathNot: Object.keys(PORTS_STILL_IMPORTED).map((name) => `^src/adapters/inbound/${name}/`),
      },
      to: { path: '^src/application/ports/', pathNot: portsOf(TIME_AND_LOG) },
    },
    ...Object.entries(PORTS_STILL_IMPORTED).map(([name, ports]) => ({
      name: `inbound-adapters-know-no-port-${name}`,
      comment: `The same for ${name}, but for the ports of the list above.`,
      severity: /** @type {const} */ ('error'),
      from: { path: `^src/adapters/inbound/${name}/` },
      to: { path: '^src/application/ports/', pathNot: portsOf([...TIME_AND_LOG, ...ports]) },
    })),
    {
      name: 'container-only-in-bootstrap',
      comment: 'Classes are given what they need; only bootstrap knows the container.',
      severity: 'error',
      from: { path: '^src/', pathNot: BOOTSTRAP },
      to: { path: '(^|/)inversify($|/)' },
    },
    {
      name: 'stdio-adapter-is-light',
      comment:
        'Clients wait for the stdio adapter to start: it loads nothing of what only the service needs.',
      severity: 'error',
      from: { path: '^src/adapters/(inbound/stdio/|bootstrap/adapter-main)' },
      to: { path: '(^|/)node_modules/(knex|koa|inversify|ssh2|mysql2|commander)/', reachable: true },
    },
    {
      name: 'no-cycle',
      comment: 'Modules that need each other are one module, or miss a third.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'only-shipped-packages',
      comment: 'What runs in production is in "dependencies", and nothing there comes from the tests.',
      severity: 'error',
      from: { path: '^src/' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'only-what-is-there',
      comment: 'Every import can be found.',
      severity: 'error',
      from: { path: '^src/' },
      to: { couldNotResolve: true },
    },
    {
      name: 'nothing-outside-src',
      comment: 'The program needs neither tests nor scripts.',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^(test|scripts|bench|bin)/' },
    },
  ],
  options: {
    // TypeScript 7 has no compiler interface: without this parser only a handful of modules would be seen.
    parser: 'swc',
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};

export default configuration;
