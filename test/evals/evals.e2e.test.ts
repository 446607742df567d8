import { afterAll, describe, expect, it } from 'vitest';
import { scripted } from '../../evals/attempt.ts';
import { removeSeed } from '../../evals/fleet.ts';
import { judge } from '../../evals/task.ts';
import { TASKS } from '../../evals/tasks.ts';

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

  it('is not solved by doing nothing, nor by a mistake', async () => {
    expect(judge(task, null, []).solved).toBe(false);
    expect((await scripted(task, (agent) => task.mistake(agent))).solved).toBe(false);
  });
});

it('has forty tasks with different names, most of which take four calls or fewer', () => {
  expect(new Set(TASKS.map(({ id }) => id)).size).toBe(40);
  const median = calls.toSorted((a, b) => a - b)[Math.floor(calls.length / 2)];
  expect(median).toBeLessThanOrEqual(4);
});
