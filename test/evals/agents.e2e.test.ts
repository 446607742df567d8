import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { answerIn, chatApi, commandLine } from '../../evals/agents.ts';
import { type ApiFixture, openApiFixture } from '../adapters/inbound/http/api-fixture.ts';

let fixture: ApiFixture;
let place: { readonly url: string; readonly secret: string };
beforeAll(async () => {
  fixture = await openApiFixture();
  place = { url: fixture.base, secret: await fixture.token(['read', 'edit']) };
});
afterAll(() => fixture.close());

/** Runs as an agent: it calls a tool with the settings of its client file, and answers with the result. */
const AGENT = `
  const [config, given] = process.argv.slice(1);
  const read = async () => { let text = ''; for await (const chunk of process.stdin) text += chunk; return text; };
  const { drover } = JSON.parse(require('node:fs').readFileSync(config, 'utf8')).mcpServers;
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_servers', arguments: {} } };
  const headers = { ...drover.headers, 'content-type': 'application/json', accept: 'application/json' };
  (async () => {
    const prompt = given ?? (await read());
    const reply = await fetch(drover.url, { method: 'POST', headers, body: JSON.stringify(body) });
    const { result } = await reply.json();
    console.log('Looking.');
    console.log(JSON.stringify({ prompt, servers: result.structuredContent.total, mode: (require('node:fs').statSync(config).mode & 0o777).toString(8) }));
  })();
`;

test.each([
  ['as an argument', ['{prompt}']],
  ['on standard input', []],
])('A command gets its client file and the task %s', async (_how, more) => {
  const drive = commandLine([process.execPath, '-e', AGENT, '{config}', ...more]);
  const answer = answerIn(await drive('How many "servers"?\nAs JSON.', place, 'count'));
  expect(answer).toEqual({ prompt: 'How many "servers"?\nAs JSON.', servers: 2, mode: '600' });
});

test('A command that cannot be started is an error, and one that fails gives no answer', async () => {
  await expect(commandLine(['/no/such/agent'])('x', place, 'x')).rejects.toThrow('ENOENT');
  const failing = commandLine([process.execPath, '-e', 'process.exit(3)']);
  expect(answerIn(await failing('x', place, 'x'))).toBeNull();
});

interface Asked {
  readonly path: string | undefined;
  readonly key: string | undefined;
  readonly body: {
    readonly model: string;
    readonly messages: readonly { readonly role: string; readonly content?: string }[];
    readonly tools: readonly { readonly function: { readonly name: string } }[];
  };
}

/** A chat API that says these messages, one after another, and the last one again and again. */
async function chat(messages: readonly object[]): Promise<{ base: string; asked: Asked[]; server: Server }> {
  const asked: Asked[] = [];
  const server = createServer((req, res) => {
    let text = '';
    req.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    req.on('end', () => {
      asked.push({ path: req.url, key: req.headers.authorization, body: JSON.parse(text) as Asked['body'] });
      const message = messages[Math.min(asked.length, messages.length) - 1];
      res.setHeader('content-type', 'application/json').end(JSON.stringify({ choices: [{ message }] }));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { base: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, asked, server };
}
const calling = (name: string, args: object) => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id: `call-${name}`, type: 'function', function: { name, arguments: JSON.stringify(args) } }],
});

test('A chat API gets instructions, task and tools, and makes its calls', async () => {
  const { base, asked, server } = await chat([
    calling('list_servers', {}),
    calling('set_features', { server_id: 2, backup: true }),
    { role: 'assistant', content: 'Done.\n{"switched":"backup"}' },
  ]);
  const said = await chatApi(base, 'model-1', 'key-1')('Switch backups on for beta.', place, 'switch');
  server.close();
  expect(answerIn(said)).toEqual({ switched: 'backup' });
  expect((await fixture.stores.servers.find(2))?.features).toMatchObject({ backup: true });
  expect(asked).toHaveLength(3);
  for (const { path, key, body } of asked) {
    expect([path, key, body.model]).toEqual(['/v1/chat/completions', 'Bearer key-1', 'model-1']);
    const names = body.tools.map(({ function: { name } }) => name);
    expect(names).toContain('set_features');
    expect(names).not.toContain('trigger_job');
  }
  const { messages } = asked[2]?.body ?? { messages: [] };
  expect(messages.map(({ role }) => role)).toEqual([
    'system',
    'user',
    'assistant',
    'tool',
    'assistant',
    'tool',
  ]);
  expect(messages[0]?.content).toContain('Drover manages Linux servers');
  expect(messages[1]?.content).toBe('Switch backups on for beta.');
  expect(messages[3]?.content).toContain('"name":"alpha"');
  expect(JSON.stringify(asked)).not.toContain(place.secret);
});

test('A chat API that only calls tools is ended after some steps, without an answer', async () => {
  const { base, asked, server } = await chat([calling('health', {})]);
  expect(await chatApi(base, 'm', 'k')('x', place, 'x')).toBe('');
  server.close();
  expect(asked).toHaveLength(25);
});

test('A chat API that fails is an error', async () => {
  const { base, server } = await chat([{}]);
  await expect(chatApi(base, 'm', 'k')('x', place, 'x')).rejects.toThrow();
  server.close();
});
