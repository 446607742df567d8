import { EvalFleet } from './fleet.ts';
import { Meter, ScriptedAgent, type Usage } from './metered.ts';
import { type Agent, type Answer, judge, type Task, type Verdict } from './task.ts';

export interface Attempt extends Verdict {
  readonly usage: Usage;
}

/** One try of a task on a new fleet. `act` is given the address and token to use, and returns the last answer. */
export async function attempt(
  task: Task,
  act: (place: { readonly url: string; readonly secret: string }) => Promise<Answer | null>,
  planted: readonly string[] = [],
): Promise<Attempt> {
  const fleet = await EvalFleet.open(task.token, planted);
  const meter = new Meter(fleet.url);
  try {
    const answer = await act({ url: await meter.listen(), secret: fleet.secret });
    return { ...judge(task, answer, await fleet.changes()), usage: meter.usage };
  } finally {
    meter.close();
    await fleet.close();
  }
}

/** The same by a script instead of a model. */
export const scripted = (
  task: Task,
  way: (agent: Agent) => Promise<Answer>,
  planted: readonly string[] = [],
): Promise<Attempt> => attempt(task, ({ url, secret }) => way(new ScriptedAgent(url, secret)), planted);
