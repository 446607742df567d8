import { GetServer } from '../../../application/fleet/get-server.ts';
import type { Actor } from '../../../domain/access/actor.ts';
import { featureOfFlag } from '../../../domain/access/scope.ts';
import { isDomainError } from '../../../domain/base/errors.ts';
import { switchedOff } from '../../../domain/fleet/host-flag.ts';
import { FEATURE_FLAGS } from '../../../domain/fleet/server.ts';
import { API_JOB_TYPES, featureOf } from '../../../domain/jobs/job-types.ts';
import type { ApiUseCases, Operation } from './operation.ts';

/**
 * Refuses an invalid input if its sender may not do this at all: callers learn first what they may do, then what is wrong
 * with the input. Throws as the use case does: capability, feature, server, the server's flag.
 */
export async function refuseUnlessAllowed(
  useCases: ApiUseCases,
  actor: Actor,
  operation: Operation,
  input: unknown,
  problem: unknown,
): Promise<void> {
  actor.require(operation.scope);
  if (typeof input !== 'object' || input === null) return;
  const fields = input as Readonly<Record<string, unknown>>;
  const { job_type: given, server_id: id } = fields;
  const type = API_JOB_TYPES.find((each) => each === given);
  if (type !== undefined && operation.scope === 'jobs') actor.requireFeature(featureOf(type));
  if (operation.scope === 'edit') {
    for (const flag of FEATURE_FLAGS) if (flag in fields) actor.requireFeature(featureOfFlag(flag));
  }
  if (typeof id !== 'number' || !Number.isSafeInteger(id) || id <= 0) return;
  const server = await useCases.get(GetServer).execute(actor, id);
  if (type === undefined || operation.scope !== 'jobs' || isAbout(problem, '/job_type')) return;
  const off = switchedOff(server, type);
  if (off) throw off;
}

/** Such as a type that no tool starts: the answer says which command does. */
const isAbout = (problem: unknown, field: string): boolean =>
  isDomainError(problem, 'invalid_input') && problem.problems.some(({ path }) => path === field);
