import type { Capability } from '../../../domain/access/scope.ts';
import type { Caller, Outcome } from '../mcp/tool-call.ts';
import { CallFailure } from './call-failure.ts';
import type { RestRequest } from './rest-request.ts';
import { restRequest } from './rest-request.ts';
import type { RestReply } from './service-client.ts';

/** Sends one request to the service; throws `CallFailure`. */
export type Send = (request: RestRequest) => Promise<RestReply>;

/** Runs operations in the service, over its REST door. */
export class RestCaller implements Caller {
  readonly capabilities: ReadonlySet<Capability>;
  readonly #send: Send;

  constructor(capabilities: ReadonlySet<Capability>, send: Send) {
    this.capabilities = capabilities;
    this.#send = send;
  }

  async run(operation: Parameters<Caller['run']>[0], input: unknown): Promise<Outcome> {
    try {
      return await this.#send(restRequest(operation, input as object));
    } catch (error) {
      if (!(error instanceof CallFailure)) throw error;
      return { status: error.status, body: { code: error.code, detail: error.message } };
    }
  }
}
