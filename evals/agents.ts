import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { got } from 'got';
import * as z from 'zod';
import type { Answer } from './task.ts';

/** Where the agent finds the service. */
export interface Place {
  readonly url: string;
  readonly secret: string;
}

/** Works on a prompt and returns all that it said. `id`: of the task. */
export type Driver = (prompt: string, place: Place, id: string) => Promise<string>;

const MAX_MINUTES = 10;
const MAX_STEPS = 25;
const MAX_OUTPUT = 1024 * 1024;

/** The last JSON object that stands on a line of its own; `null` if there is none. */
export function answerIn(text: string): Answer | null {
  for (const line of text.split('\n').toReversed()) {
    try {
      const value: unknown = JSON.parse(line.trim());
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Answer;
    } catch {
      // Not this line.
    }
  }
  return null;
}

/**
 * A program that speaks MCP itself. In its arguments `{config}` stands for a client file with `mcpServers`, and `{prompt}`
 * for the task; without `{prompt}` the task comes on standard input.
 */
export const commandLine =
  (words: readonly string[]): Driver =>
  async (prompt, place) => {
    const dir = await mkdtemp(join(tmpdir(), 'drover-evals-agent-'));
    try {
      const config = join(dir, 'mcp.json');
      await writeFile(config, JSON.stringify({ mcpServers: { drover: clientOf(place) } }), { mode: 0o600 });
      const [program = '', ...args] = words.map((word) =>
        word.replace('{config}', config).replace('{prompt}', prompt),
      );
      return await output(program, args, dir, words.some((word) => word.includes('{prompt}')) ? '' : prompt);
    } finally {
      await rm(dir, { recursive: true, force: true });
    }
  };

const clientOf = ({ url, secret }: Place) => ({
  type: 'http',
  url: `${url}/mcp`,
  headers: { Authorization: `Bearer ${secret}` },
});

function output(program: string, args: readonly string[], cwd: string, input: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd,
      timeout: MAX_MINUTES * 60_000,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text = (text + chunk).slice(-MAX_OUTPUT);
    });
    child.once('error', reject);
    child.once('close', () => resolve(text));
    child.stdin.on('error', () => undefined).end(input);
  });
}

const Tools = z.object({
  result: z.object({
    tools: z.array(z.object({ name: z.string(), description: z.string(), inputSchema: z.looseObject({}) })),
  }),
});
const Opening = z.object({ result: z.object({ instructions: z.string() }) });
const Called = z.object({ result: z.object({ content: z.array(z.object({ text: z.string() })) }) });
const Message = z.looseObject({
  role: z.string(),
  content: z.string().nullish(),
  tool_calls: z
    .array(z.looseObject({ id: z.string(), function: z.object({ name: z.string(), arguments: z.string() }) }))
    .nullish(),
});
const Completion = z.object({ choices: z.array(z.object({ message: Message })).min(1) });

/** A chat API of the form that most vendors offer (`POST {base}/chat/completions` with tools). */
export const chatApi =
  (base: string, model: string, key: string): Driver =>
  async (prompt, place) => {
    const ask = async (method: string, params: object): Promise<unknown> =>
      got
        .post(`${place.url}/mcp`, {
          json: { jsonrpc: '2.0', id: 1, method, params },
          headers: { authorization: `Bearer ${place.secret}`, accept: 'application/json, text/event-stream' },
        })
        .json();
    const opening = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'evals', version: '1' },
    };
    const { instructions } = Opening.parse(await ask('initialize', opening)).result;
    const { tools } = Tools.parse(await ask('tools/list', {})).result;
    const functions = tools.map(({ name, description, inputSchema }) => ({
      type: 'function',
      function: { name, description, parameters: inputSchema },
    }));
    const messages: z.output<typeof Message>[] = [
      { role: 'system', content: instructions },
      { role: 'user', content: prompt },
    ];
    for (let step = 0; step < MAX_STEPS; step += 1) {
      const reply = await got
        .post(`${base}/chat/completions`, {
          json: { model, messages, tools: functions },
          headers: { authorization: `Bearer ${key}` },
          timeout: { request: MAX_MINUTES * 60_000 },
        })
        .json();
      const message = Completion.parse(reply).choices[0]?.message;
      if (!message) break;
      messages.push(message);
      if (!message.tool_calls?.length) return message.content ?? '';
      for (const { id, function: called } of message.tool_calls) {
        const result = await ask('tools/call', {
          name: called.name,
          arguments: JSON.parse(called.arguments || '{}'),
        });
        const { content } = Called.parse(result).result;
        messages.push({
          role: 'tool',
          tool_call_id: id,
          content: content.map(({ text }) => text).join('\n'),
        });
      }
    }
    return '';
  };

/**
 * An agent that you drive: `DIRECTORY/ID/task.json` has the prompt and the client's settings, and the try ends once
 * `DIRECTORY/ID/answer.json` contains a JSON object.
 */
export const byHand =
  (dir: string): Driver =>
  async (prompt, place, id) => {
    await mkdir(join(dir, id), { recursive: true });
    const answer = join(dir, id, 'answer.json');
    await rm(answer, { force: true });
    const task = { prompt, mcp: clientOf(place) };
    await writeFile(join(dir, id, 'task.json'), JSON.stringify(task, null, 2), { mode: 0o600 });
    for (;;) {
      const text = await readFile(answer, 'utf8').catch(() => null);
      const line = text?.replaceAll(/\s*\n\s*/g, ' ') ?? '';
      if (answerIn(line) !== null) return line;
      await sleep(200);
    }
  };
