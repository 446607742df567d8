import * as z from 'zod';
import { CAPABILITIES, type Capability } from '../../../domain/access/scope.ts';
import { CallFailure, type RestReply } from './service-client.ts';

/** The service's last answer about itself and the token. */
export interface Contact {
  readonly version: string;
  readonly capabilities: ReadonlySet<Capability>;
  /** Names of all operations that it has. */
  readonly operations: ReadonlySet<string>;
}

/** The service answers, and will not have this token, or is not the service: asking again does not help. */
export class Refused extends Error {
  /** The service's own code for it. */
  readonly code: string;

  constructor(code: string, detail: string) {
    super(detail);
    this.code = code;
  }
}

/** The part of `GET /api/v1` that matters here; services of other versions may say more. */
const overview = z.object({
  version: z.string(),
  endpoints: z.array(z.object({ name: z.string() })),
  token_scopes: z.array(z.string()),
});

const problem = z.object({ code: z.string(), detail: z.string() });

/** Reads the answer to `GET /api/v1`. Throws `Refused`, and `CallFailure` if it may succeed later. */
export function contactOf({ status, body }: RestReply): Contact {
  const said = overview.safeParse(body);
  if (status === 200 && said.success) {
    const { version, endpoints, token_scopes: scopes } = said.data;
    return {
      version,
      capabilities: new Set(CAPABILITIES.filter((name) => scopes.includes(name))),
      operations: new Set(endpoints.map(({ name }) => name)),
    };
  }
  const { data: { code, detail } = { code: 'reply_not_understood', detail: `It answers with ${status}.` } } =
    problem.safeParse(body);
  if (status >= 500 || status === 429) throw new CallFailure('service_unreachable', detail);
  throw new Refused(code, detail);
}
