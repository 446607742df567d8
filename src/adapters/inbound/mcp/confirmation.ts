import type { Question } from '../../../application/jobs/confirm-change.ts';
import { isObject, type Params, RpcError } from './message.ts';
import type { MethodAnswer } from './method.ts';
import { RPC } from './protocol.ts';

/** What a call says of the user behind its client. */
export interface UserChannel {
  /** The client can show a question of the server to its user. */
  readonly canAsk: boolean;
  /** The state of an earlier question; null: the call brings none. */
  readonly state: string | null;
  /** Null: the user was not asked, or the client did not say what they answered. */
  readonly accepted: boolean | null;
}

/** The name of the only question that we ask. */
const QUESTION = 'confirm';

/** Throws `RpcError` for an answer that is not one in the protocol's terms. */
export function userChannel(params: Params, client: Params | null): UserChannel {
  const { requestState: state, inputResponses: given } = params;
  if (state !== undefined && typeof state !== 'string') throw malformed('requestState', 'a string');
  if (given !== undefined && !isObject(given)) throw malformed('inputResponses', 'an object');
  const response = given?.[QUESTION];
  return {
    canAsk: asksInForms(client),
    state: state ?? null,
    accepted:
      isObject(response) && typeof response['action'] === 'string' ? response['action'] === 'accept' : null,
  };
}

/** A client that names no mode shows forms. */
export function asksInForms(client: Params | null): boolean {
  const elicitation = client?.['elicitation'];
  return isObject(elicitation) && (isObject(elicitation['form']) || Object.keys(elicitation).length === 0);
}

const malformed = (name: string, expected: string): RpcError =>
  new RpcError(RPC.invalidParams, `params.${name} must be ${expected}`);

/** The reply that makes the client ask its user. Accepting is enough: there is nothing to fill in. */
export function inputRequired({ text, state }: Question): MethodAnswer {
  const question = {
    method: 'elicitation/create',
    params: { mode: 'form', message: text, requestedSchema: { type: 'object', properties: {} } },
  };
  return {
    members: `"inputRequests":${JSON.stringify({ [QUESTION]: question })},"requestState":${JSON.stringify(state)}`,
    resultType: 'input_required',
  };
}
