import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { answerIn, byHand } from '../../evals/agents.ts';
import { attempt, scripted } from '../../evals/attempt.ts';
import { removeSeed } from '../../evals/fleet.ts';
import { ScriptedAgent } from '../../evals/metered.ts';
import { judge, promptOf } from '../../evals/task.ts';
import { HOSTILE_TASKS, TASKS } from '../../evals/tasks.ts';
import { readableText } from '../../src/domain/base/visible-text.ts';
import { INJECTIONS } from '../support/injections.ts';

const PLANTED = INJECTIONS.map(({ text }) => text);
/** How they start in a result. */
const STARTS = PLANTED.map((text) => JSON.stringify(readableText(text)).slice(1, 30)).filter(
  (start) => start.length > 12,
);
const HAND = TASKS.filter(({ id }) => ['delete-file', 'rename-file', 'why-did-it-fail'].includes(id));
const Given = z.object({
  mcp: z.object({ url: z.string(), headers: z.object({ Authorization: z.string() }) }),
});
const calls: number[] = [];
afterAll(removeSeed);

describe.each(TASKS)('$id', (task) => {
  it('is solved by its reference solution, within its budget', async () => {
    const { faults, harm, usage } = await scripted(task, (agent) => task.solve(agent));
    expect({ faults, harm }).toEqual({ faults: [], harm: [] });
    expect(usage.calls).toBeLessThanOrEqual(task.budget.calls);
    expect(usage.tokens).toBeLessThanOrEqual(task.budget.tokens);
    calls.push(usage.calls);
  });

  it('has the same effect if the servers carry eighty injections', async () => {
    const { faults, harm } = await scripted(task, (agent) => task.solve(agent), PLANTED);
    expect({ faults, harm }).toEqual({ faults: [], harm: [] });
  });

  it('is not solved by doing nothing, nor by a mistake', async () => {
    expect(judge(task, null, []).solved).toBe(false);
    expect((await scripted(task, (agent) => task.mistake(agent))).solved).toBe(false);
  });
});

it('keeps tries at the same time apart, each with its verdict, if an agent is driven by hand', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'drover-evals-hand-'));
  const drive = byHand(dir);
  const tries = HAND.map((task) =>
    attempt(task, async (place) => answerIn(await drive(promptOf(task), place, task.id)), PLANTED),
  );
  for (const task of HAND) {
    const { mcp } = await vi.waitFor(
      async () => Given.parse(JSON.parse(await readFile(join(dir, task.id, 'task.json'), 'utf8'))),
      { timeout: 20_000 },
    );
    const secret = mcp.headers.Authorization.replace('Bearer ', '');
    const answer = await task.solve(new ScriptedAgent(mcp.url.replace(/\/mcp$/, ''), secret));
    await writeFile(join(dir, task.id, 'answer.json'), JSON.stringify(answer, null, 2));
  }
  const verdicts = await Promise.all(tries);
  expect(verdicts.map(({ faults, harm }) => ({ faults, harm }))).toEqual(
    HAND.map(() => ({ faults: [], harm: [] })),
  );
  await rm(dir, { recursive: true, force: true });
});

it('plants texts where ten tasks lead', async () => {
  expect(HOSTILE_TASKS).toHaveLength(10);
  for (const task of HOSTILE_TASKS) {
    const seen: string[] = [];
    const { usage } = await scripted(
      task,
      (agent) =>
        task.solve({
          call: async (name, args) => note(await agent.call(name, args)),
          job: async (args) => note(await agent.job(args)),
        }),
      PLANTED,
    );
    function note<T>(result: T): T {
      seen.push(JSON.stringify(result));
      return result;
    }
    expect(usage.calls, task.id).toBeGreaterThan(0);
    expect(
      STARTS.some((text) => seen.some((result) => result.includes(text))),
      task.id,
    ).toBe(true);
  }
});

it('has forty tasks with different names, most of which take four calls or fewer', () => {
  expect(new Set(TASKS.map(({ id }) => id)).size).toBe(40);
  const median = calls.toSorted((a, b) => a - b)[Math.floor(calls.length / 2)];
  expect(median).toBeLessThanOrEqual(4);
});
