import { FLAG_OF_FEATURE } from '../access/scope.ts';
import { DomainError } from '../base/errors.ts';
import { shellCommand } from '../base/shell-command.ts';
import { featureOf, ignoresFeatureFlag, type JobType } from '../jobs/job-types.ts';
import type { Server } from './server.ts';

/** The refusal of a job if its feature is off for its server; `null` if it is on. */
export function switchedOff(
  server: Pick<Server, 'id' | 'name' | 'features'>,
  type: JobType,
): DomainError | null {
  if (ignoresFeatureFlag(type)) return null;
  const flag = FLAG_OF_FEATURE[featureOf(type)];
  if (server.features[flag]) return null;
  return new DomainError(
    'feature_disabled',
    `The feature "${flag}" is off for ${server.name}; an operator can turn it on with \`${shellCommand`drover server features ${server.id} ${flag}=on`}\`.`,
  );
}
