import * as z from 'zod';
import { GetHealth } from '../../../../application/service/get-health.ts';
import { SCOPES } from '../../../../domain/access/scope.ts';
import { API_JOB_TYPES } from '../../../../domain/jobs/job-types.ts';
import { API_PREFIX, type Operation, operation } from '../operation.ts';
import { featureSchema } from '../views/token-view.ts';
import { text } from '../views/values.ts';

const scopes = z.array(z.enum(SCOPES));

/** The API's description of itself: its resources, and what this token can use. */
export const overviewOf = (operations: readonly Operation[]): Operation => {
  const endpoints = operations.flatMap(({ name, title, scope, routes }) =>
    routes.map(({ method, path, named }) => ({
      method,
      path: `${API_PREFIX}${path}`,
      name,
      title: named?.title ?? title,
      scope,
    })),
  );
  return operation({
    name: 'overview',
    scope: 'read',
    effect: 'reads',
    title: 'Describe the API',
    description: 'Returns the endpoints, the scopes, the job types, and what this token may do.',
    input: z.strictObject({}),
    output: z.strictObject({
      version: text,
      endpoints: z.array(
        z.strictObject({ method: text, path: text, name: text, title: text, scope: z.enum(SCOPES) }),
      ),
      scopes,
      job_types: z.array(z.enum(API_JOB_TYPES)),
      token_scopes: scopes,
      allowed_features: z.array(featureSchema).nullable(),
    }),
    group: 'Access',
    errors: [],
    examples: [
      {
        title: 'The API',
        input: {},
        output: {
          version: '1.1.0',
          endpoints: endpoints.slice(0, 2),
          scopes: [...SCOPES],
          job_types: [...API_JOB_TYPES],
          token_scopes: ['read', 'jobs'],
          allowed_features: null,
        },
      },
    ],
    routes: [{ method: 'GET', path: '', status: 200 }],
    run(useCases, actor) {
      const health = useCases.get(GetHealth).execute(actor);
      return {
        version: useCases.version,
        endpoints,
        scopes: [...SCOPES],
        job_types: [...API_JOB_TYPES],
        token_scopes: SCOPES.filter((scope) => health.scopes.includes(scope)),
        allowed_features: health.allowedFeatures === null ? null : [...health.allowedFeatures],
      };
    },
  });
};
