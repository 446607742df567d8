import * as z from 'zod';
import { SetFeatures } from '../../../../application/fleet/set-features.ts';
import { FEATURE_FLAGS, type FeatureFlag, type FeatureFlags } from '../../../../domain/fleet/server.ts';
import { SERVER } from '../examples.ts';
import { serverId } from '../fields.ts';
import { operation } from '../operation.ts';
import { brief, conciseEntry, type Fields, toolForm } from '../tool-form.ts';
import { serverSchema, serverView } from '../views/server-view.ts';

const flag = (what: string) => z.boolean().describe(what).optional();

const flagsOf = (
  input: {
    readonly [Flag in FeatureFlag]?: boolean | undefined;
  },
): Partial<FeatureFlags> =>
  Object.fromEntries(
    FEATURE_FLAGS.flatMap((name) => (input[name] === undefined ? [] : [[name, input[name]]])),
  );

export const setFeatures = operation({
  name: 'set_features',
  scope: 'edit',
  effect: 'changes',
  title: 'Switch server features',
  description:
    'Switches the features backup, os_patch and docker of a server on or off; pass only those to change. While a feature is off, its jobs are refused there (feature_disabled). Use it only if the user asks for it. Returns the changed flags and the server. Next: trigger_job.',
  input: z.strictObject({
    server_id: serverId,
    backup: flag('Jobs backup and retention'),
    os_patch: flag('Jobs os_patch and os_update_check'),
    docker: flag('Jobs container_patch and container_update_check'),
  }),
  output: z.strictObject({
    ok: z.literal(true),
    changed: z.array(z.enum(FEATURE_FLAGS)).describe('Flags that changed'),
    server: serverSchema,
  }),
  group: 'Fleet',
  errors: ['feature_not_allowed', 'server_not_found', 'empty_change'],
  examples: [
    {
      title: 'Switch container updates on',
      input: { server_id: 1, docker: true },
      output: {
        ok: true,
        changed: ['docker'],
        server: { ...SERVER, features: { ...SERVER.features, docker: true } },
      },
    },
  ],
  routes: [{ method: 'PATCH', path: '/servers/{server_id}/features', status: 200 }],
  tool: toolForm({
    hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    description:
      'Switches features of a server on or off; pass only those to change. Use it only if the user asks. While a feature is off, its jobs are refused (feature_disabled): backup also covers retention, os_patch os_update_check, docker the container jobs. Next: trigger_job.',
    input: z.strictObject({
      server_id: serverId,
      backup: z.boolean().optional(),
      os_patch: z.boolean().optional(),
      docker: z.boolean().optional(),
    }),
    output: z.strictObject({ ok: z.boolean(), changed: z.array(z.string()), server: brief }),
    present: (body) => ({ ...body, server: conciseEntry(body['server'] as Fields) }),
  }),
  change: (input) => ({ kind: 'set_features', serverId: input.server_id, flags: flagsOf(input) }),
  async run(useCases, actor, input) {
    const { changed, server } = await useCases
      .get(SetFeatures)
      .execute(actor, input.server_id, flagsOf(input));
    return { ok: true as const, changed: [...changed], server: serverView(server) };
  },
});
