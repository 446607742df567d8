import swc from '@swc/core';

/**
 * Who may import whom. Dependencies point inward: adapters, application, domain; only `bootstrap` knows everything.
 * test/architecture checks the rules, and that each of them finds a planted breach. `npx depcruise src` gives the same verdict.
 */

/** Which adapters use another one. The rest keep to themselves. */
export const ADAPTERS_THAT_USE_OTHERS = {
  backup: ['jail'],
  facts: ['packages'],
  hosts: ['local', 'ssh'],
  http: ['catalogue'],
  mcp: ['catalogue', 'http'],
  prometheus: ['http'],
  stdio: ['catalogue', 'mcp'],
  web: ['catalogue', 'http'],
  cli: ['catalogue'],
};

/** Adapters that drive the application: they call use cases, and what these return is of the domain. */
const INBOUND = ['catalogue', 'cli', 'http', 'mcp', 'prometheus', 'stdio', 'web', 'worker'];

/** Ports that tell the time and take log lines: nothing of the application is behind them. */
const TIME_AND_LOG = ['base/clock', 'base/logger'];

/**
 * Other ports that inbound adapters import as yet. The list only gets shorter: each is work that belongs in a use case,
 * or, for the bodies of events, in an adapter that the application drives.
 *
 * @type {Readonly<Record<string, readonly string[]>>}
 */
export const PORTS_STILL_IMPORTED = {
  catalogue: ['events/event-bodies'],
  cli: ['service/key-ring'],
  worker: ['jobs/job-queue', 'jobs/lease-store', 'service/process-list', 'service/replica-store', 'base/secret-box'],
};

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
      name: 'adapters-keep-apart',
      comment: 'An adapter imports no other adapter, unless the list above names it.',
      severity: 'error',
      from: {
        path: '^src/adapters/([^/]+)/',
        pathNot: [
          BOOTSTRAP,
          ...Object.keys(ADAPTERS_THAT_USE_OTHERS).map((name) => `^src/adapters/${name}/`),
        ],
      },
      to: { path: '^src/adapters/', pathNot: '^src/adapters/$1/' },
    },
    ...Object.entries(ADAPTERS_THAT_USE_OTHERS).map(([name, used]) => ({
      name: `adapters-keep-apart-${name}`,
      comment: `The adapter ${name} uses ${used.join(' and ')}, and no other.`,
      severity: /** @type {const} */ ('error'),
      from: { path: `^src/adapters/${name}/` },
      to: { path: '^src/adapters/', pathNot: `^src/adapters/(${[name, ...used].join('|')})/` },
    })),
    ...INBOUND.map((name) => ({
      name: `inbound-adapters-know-no-port-${name}`,
      comment: `The adapter ${name} calls use cases: no store is asked past them.`,
      severity: /** @type {const} */ ('error'),
      from: { path: `^src/adapters/${name}/` },
      to: {
        path: '^src/application/ports/',
        pathNot: `/ports/(${[...TIME_AND_LOG, ...(PORTS_STILL_IMPORTED[name] ?? [])].join('|')})[.]ts$`,
      },
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
      from: { path: '^src/adapters/(stdio/|bootstrap/adapter-main)' },
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
