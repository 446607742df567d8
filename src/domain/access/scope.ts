import type { FeatureFlag } from '../fleet/server.ts';

/** What a caller may do. */
export const CAPABILITIES = ['read', 'jobs', 'edit', 'files'] as const;
export type Capability = (typeof CAPABILITIES)[number];

/** Which features of a server a caller may use. Without any, all are allowed. */
export const FEATURE_SCOPES = ['feature:backup', 'feature:os', 'feature:docker'] as const;

export const SCOPES = [...CAPABILITIES, ...FEATURE_SCOPES] as const;
export type Scope = (typeof SCOPES)[number];

/** Names of scopes for users. */
export const SCOPE_TITLES: Readonly<Record<Scope, string>> = {
  read: 'Read',
  jobs: 'Jobs',
  edit: 'Settings',
  files: 'Files',
  'feature:backup': 'Backups only',
  'feature:os': 'System updates only',
  'feature:docker': 'Containers only',
};

/** The name of a feature as callers see it in `allowed_features`. */
export type Feature = 'backup' | 'os' | 'docker';

/** Each feature's host flag; a job of the feature runs only on servers where the flag is on. */
export const FLAG_OF_FEATURE = {
  backup: 'backup',
  os: 'os_patch',
  docker: 'docker',
} as const satisfies Record<Feature, FeatureFlag>;

export const featureOfFlag = (flag: FeatureFlag): Feature => (flag === 'os_patch' ? 'os' : flag);

/** The features that a list of scopes allows, or `null` for all. */
export function allowedFeatures(scopes: readonly Scope[]): readonly Feature[] | null {
  const features = scopes.filter((scope) => scope.startsWith('feature:'));
  if (features.length === 0) return null;
  return features.map((scope) => scope.slice('feature:'.length) as Feature);
}

/** Why a token with these scopes is of little use; `null`: it is not. */
export const scopeWarning = (scopes: readonly string[]): string | null =>
  scopes.includes('read')
    ? null
    : 'Without the scope "read" this token does not work over MCP, and over REST it cannot see servers or jobs.';

export const isScope = (value: string): value is Scope => (SCOPES as readonly string[]).includes(value);
