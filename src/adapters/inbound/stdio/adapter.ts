import type { Readable, Writable } from 'node:stream';
import * as z from 'zod';
import type { Capability } from '../../../domain/access/scope.ts';
import type { DomainError } from '../../../domain/base/errors.ts';
import { CATALOGUE } from '../api/catalogue.ts';
import { problemOf } from '../api/problem.ts';
import { asksInForms } from '../mcp/confirmation.ts';
import type { McpDispatcher } from '../mcp/dispatcher.ts';
import { droverServer } from '../mcp/drover-server.ts';
import { readMissing } from '../mcp/legacy-protocol.ts';
import { errorReply, type Message, type RequestId, RpcError, readMessage } from '../mcp/message.ts';
import { isModernRequest, statedCapabilities } from '../mcp/modern-protocol.ts';
import { MODERN_VERSIONS, RPC } from '../mcp/protocol.ts';
import type { Caller, Outcome, RunOptions } from '../mcp/tool-call.ts';
import type { ToolOperation } from '../mcp/tool-list.ts';
import { type Contact, Refused } from './contact.ts';
import { type RestRequest, restRequest } from './rest-request.ts';
import { CallFailure, type RestReply, type ServiceClient } from './service-client.ts';
import { ServiceLink } from './service-link.ts';
import { StdioServer } from './stdio-server.ts';

/** How long a client that says hello waits for the service, in milliseconds: its answer does not depend on it. */
const GREETING_PATIENCE = 2_000;

const GREETINGS = new Set(['initialize', 'server/discover']);
const WORK = new Set(['tools/list', 'tools/call']);

/** Before the first contact the token's rights are unknown; `initialize` is answered anyway. */
const UNKNOWN: ReadonlySet<Capability> = new Set<Capability>(['read']);

const LIST_CHANGED = '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}';

export interface StdioAdapterDeps {
  readonly input: Readable;
  readonly output: Writable;
  readonly client: Pick<ServiceClient, 'send' | 'url'>;
  /** This program's version. */
  readonly version: string;
  /** Tells the operator something, in one line. */
  readonly say: (line: string) => void;
}

/** The tools of the hosted endpoint for clients that only start programs: MCP on two streams, the service behind REST. */
export class StdioAdapter {
  readonly #deps: StdioAdapterDeps;
  readonly #link: ServiceLink;
  readonly #server: StdioServer;
  /** Dispatchers by the service's answer; there is rarely more than one. */
  #dispatcher: { readonly key: string; readonly dispatcher: McpDispatcher<Caller> };
  /** The state behind the client's list of tools; `null`: it has none, and wants none. */
  #listed: string | null = null;
  /** Whether the client supports change notifications. */
  #initialized = false;

  constructor(deps: StdioAdapterDeps) {
    this.#deps = deps;
    this.#link = new ServiceLink(deps);
    this.#server = new StdioServer(deps.input, deps.output, (value, signal) => this.#answer(value, signal));
    this.#dispatcher = { key: '', dispatcher: dispatcherOf(deps.version, []) };
  }

  /**
   * Serves until the input ends or `stop` is called. Returns whether the service accepted this token: a refusal is
   * the end.
   */
  async run(): Promise<boolean> {
    const serving = this.#server.run();
    const accepted = this.#meet();
    void accepted.then((is) => is || this.#server.end());
    await serving;
    // Whether the token is accepted is for the exit code, also if the client closed its end before that was known.
    await this.#link.asked();
    this.#link.close();
    return accepted;
  }

  stop(): void {
    this.#link.close();
    this.#server.stop();
  }

  async #meet(): Promise<boolean> {
    try {
      const contact = await this.#link.first();
      if (contact === null) return true;
      for (const line of differences(contact, this.#deps.version)) this.#deps.say(line);
      await this.#tellChange(contact);
      return true;
    } catch (error) {
      if (error instanceof Refused) this.#deps.say(error.message);
      else this.#sayFault(error);
      return false;
    }
  }

  async #answer(value: unknown, signal: AbortSignal): Promise<string | null> {
    const message = readMessage(value);
    const method = message.kind === 'request' || message.kind === 'notification' ? message.method : '';
    if (method === 'notifications/initialized') this.#initialized = true;
    try {
      const contact = await this.#contactFor(method);
      if (contact !== null && method === 'tools/call') await this.#tellChange(contact);
      if (contact !== null && method === 'tools/list') this.#listed = keyOf(contact);
      const asked = contact === null ? null : confirmedCall(message);
      if (asked !== null) return await this.#forward(asked, value as object, signal);
      const caller = new RestCaller({
        capabilities: contact?.capabilities ?? UNKNOWN,
        isSameVersion: contact?.version === this.#deps.version,
        send: (request) => this.#link.send(request, signal),
      });
      return (await this.#dispatcherFor(contact).answer(value, null, caller)).body;
    } catch (error) {
      if (message.kind !== 'request') throw error;
      if (method === 'tools/list') this.#listed = '';
      return errorReply(message.id, this.#rpcError(error)).body;
    }
  }

  /** The service itself asks the client's user, and remembers nothing: question and answer pass through. */
  async #forward(call: ConfirmedCall, json: object, signal: AbortSignal): Promise<string> {
    const headers = {
      'mcp-protocol-version': call.version,
      'mcp-method': 'tools/call',
      'mcp-name': call.tool,
    };
    const request = { method: 'POST', prefix: '/mcp', path: '', json, headers } as const;
    const { status, body } = await this.#link.send(request, signal).catch((error: unknown) => {
      if (error instanceof CallFailure) return { status: error.status, body: unanswered(call, error) };
      throw error;
    });
    if ('jsonrpc' in body) return JSON.stringify(body);
    const { code, detail } = body as Readonly<Record<string, unknown>>;
    throw new Refused(String(code), typeof detail === 'string' ? detail : `It answers with ${status}.`);
  }

  async #contactFor(method: string): Promise<Contact | null> {
    if (WORK.has(method)) return this.#link.contact();
    if (!GREETINGS.has(method)) return this.#link.latest;
    try {
      return await this.#link.contact(GREETING_PATIENCE);
    } catch (error) {
      if (error instanceof CallFailure) return null;
      throw error;
    }
  }

  #dispatcherFor(contact: Contact | null): McpDispatcher<Caller> {
    if (contact === null) return this.#dispatcher.dispatcher;
    const key = `${contact.version} ${[...contact.operations].sort().join(' ')}`;
    if (this.#dispatcher.key !== key) {
      const offered = CATALOGUE.filter(({ name }) => contact.operations.has(name));
      this.#dispatcher = { key, dispatcher: dispatcherOf(contact.version, offered) };
    }
    return this.#dispatcher.dispatcher;
  }

  /** Tells a client with an outdated or missing list of tools to ask again. */
  async #tellChange(contact: Contact): Promise<void> {
    if (!this.#initialized || this.#listed === null || this.#listed === keyOf(contact)) return;
    this.#listed = null;
    await this.#server.tell(LIST_CHANGED);
  }

  #rpcError(error: unknown): RpcError {
    if (error instanceof CallFailure)
      return new RpcError(RPC.unreachable, error.message, { data: { code: error.code } });
    if (error instanceof Refused && error.code === 'read_scope_missing') return readMissing();
    if (error instanceof Refused)
      return new RpcError(RPC.forbidden, error.message, { data: { code: error.code } });
    this.#sayFault(error);
    return new RpcError(RPC.internalError, 'Internal error');
  }

  #sayFault(error: unknown): void {
    this.#deps.say(`A fault of this program: ${error instanceof Error ? error.message : String(error)}`);
  }
}

const dispatcherOf = (version: string, catalogue: typeof CATALOGUE): McpDispatcher<Caller> =>
  droverServer({ version, catalogue, tellsChanges: true });

/** All that a list of tools depends on. */
const keyOf = ({ version, capabilities, operations }: Contact): string =>
  JSON.stringify([version, [...capabilities].sort(), [...operations].sort()]);

/** As for calls over REST: an error for the model. */
const unanswered = ({ id }: ConfirmedCall, { status, code, message }: CallFailure): object => {
  const text = JSON.stringify({ ok: false, status, code, detail: message });
  const result = { content: [{ type: 'text', text }], isError: true, resultType: 'complete' };
  return { jsonrpc: '2.0', id, result };
};

interface ConfirmedCall {
  readonly id: RequestId;
  readonly tool: string;
  readonly version: string;
}

/** A call that the client's user may have to confirm, which only the service can prepare; null: any other message. */
function confirmedCall(message: Message): ConfirmedCall | null {
  if (message.kind !== 'request' || message.method !== 'tools/call') return null;
  const { params } = message;
  if (!isModernRequest(message, null) || !asksInForms(statedCapabilities(params))) return null;
  const operation = CATALOGUE.find(({ name, tool }) => tool !== undefined && name === params['name']);
  const [version] = MODERN_VERSIONS;
  if (operation === undefined || operation.effect === 'reads' || version === undefined) return null;
  return { id: message.id, tool: operation.name, version };
}

/** Sends one request to the service; throws `CallFailure`. */
type Send = (request: RestRequest) => Promise<RestReply>;

/** Runs operations in the service, over its REST API. */
class RestCaller implements Caller {
  readonly capabilities: ReadonlySet<Capability>;
  readonly #isSameVersion: boolean;
  readonly #send: Send;

  constructor(options: {
    readonly capabilities: ReadonlySet<Capability>;
    /** The service refuses the same inputs. */
    readonly isSameVersion: boolean;
    readonly send: Send;
  }) {
    this.capabilities = options.capabilities;
    this.#isSameVersion = options.isSameVersion;
    this.#send = options.send;
  }

  /** The service knows whether the token may do this at all, which comes first. */
  async refuse(operation: ToolOperation, input: unknown, problem: DomainError): Promise<Outcome> {
    const body = problemOf(problem);
    if (!this.#isSameVersion) return { status: body.status, body };
    const params = { name: operation.name, arguments: input };
    const json = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
    const asked = { method: 'POST', prefix: '/mcp', path: '', json } as const;
    const answered = await this.#sent(asked);
    return refusalIn(answered) ?? { status: body.status, body };
  }

  async run(
    operation: Parameters<Caller['run']>[0],
    input: object,
    { key }: RunOptions = {},
  ): Promise<Outcome> {
    return this.#sent({ ...restRequest(operation, input), ...(key === undefined ? {} : { key }) });
  }

  async #sent(request: RestRequest): Promise<Outcome> {
    try {
      return await this.#send(request);
    } catch (error) {
      if (!(error instanceof CallFailure)) throw error;
      return { status: error.status, body: { code: error.code, detail: error.message } };
    }
  }
}

const Refusal = z.object({
  result: z.object({ isError: z.literal(true), content: z.array(z.object({ text: z.string() })).min(1) }),
});
const RefusalText = z.looseObject({ status: z.int(), code: z.string() });

/** A refusal of `/mcp`, as REST would send it; also one of the way there. */
function refusalIn({ status, body }: Outcome): Outcome | null {
  const refused = Refusal.safeParse(body).data?.result.content[0]?.text;
  if (refused === undefined)
    return RefusalText.safeParse({ status, ...body }).success ? { status, body } : null;
  const said = RefusalText.parse(JSON.parse(refused));
  return { status: said.status, body: said };
}

const MAX_SHOWN = 10;

/** A note for the operator if service and adapter have different versions; empty if they match. */
function differences(contact: Contact, version: string): readonly string[] {
  const known = new Set(CATALOGUE.map(({ name }) => name));
  const unknown = [...contact.operations].filter((name) => !known.has(name));
  const missing = CATALOGUE.filter(({ name, tool }) => tool !== undefined && !contact.operations.has(name));
  return [
    ...(contact.version === version
      ? []
      : [`The service is version ${shown(contact.version)}, and this adapter ${version}.`]),
    ...(unknown.length === 0
      ? []
      : [`The service can do what this adapter does not know, and does not offer: ${list(unknown)}.`]),
    ...(missing.length === 0
      ? []
      : [
          `This adapter knows tools that the service does not have, and does not offer them: ${list(missing.map(({ name }) => name))}.`,
        ]),
  ];
}

const list = (names: readonly string[]): string =>
  [...names.slice(0, MAX_SHOWN).map(shown), ...(names.length > MAX_SHOWN ? ['…'] : [])].join(', ');

/** A name from elsewhere, short and on one line. */
const shown = (name: string): string => name.slice(0, 60).replace(/[^\w.+-]/g, '?');
