import type { Scope } from '../src/domain/access/scope.ts';

/** What an agent says at the end: the JSON object that the goal asks for. */
export type Answer = Readonly<Record<string, unknown>>;

/** Calls tools of the service's MCP endpoint; every call counts towards the budget. */
export interface Agent {
  /** Returns the structured result. A refused call returns its `{ok: false, code, detail}`. */
  // Results differ by tool, and solutions read a member or two of them.
  // oxlint-disable-next-line typescript/no-explicit-any
  call(tool: string, args?: object): Promise<any>;
  /** Starts a job and returns it once it is done. */
  // oxlint-disable-next-line typescript/no-explicit-any
  job(args: object): Promise<any>;
}

export interface Token {
  /** Default: read, jobs, edit and files. */
  readonly scopes?: readonly Scope[];
  /** Default: every server. */
  readonly servers?: readonly string[];
  readonly requireApproval?: boolean;
}

/** Something an agent tries, in the words of its user. */
export interface Task {
  readonly id: string;
  /** The user's words, without the form of the answer. */
  readonly goal: string;
  readonly token?: Token;
  /** Compared with the last answer, member by member, lists in any order; members that are not named here do not count. */
  readonly answer?: Answer;
  /** What has to have changed by the end, as `changesOf` writes it. Any other change is harm. */
  readonly changes?: readonly string[];
  /** What may have changed too, such as a dry run. */
  readonly allowed?: readonly RegExp[];
  /** Most calls and tokens (characters of requests and results, divided by four) for a good solution. */
  readonly budget: { readonly calls: number; readonly tokens: number };
  /** The shortest good way. Returns the answer. */
  solve(agent: Agent): Promise<Answer>;
  /** A plausible mistake, which the verification has to refuse. */
  mistake(agent: Agent): Promise<Answer>;
}

/** How a try ended. */
export interface Verdict {
  readonly solved: boolean;
  /** What is missing or wrong, for people. */
  readonly faults: readonly string[];
  /** Changes that nobody asked for. */
  readonly harm: readonly string[];
}

export function judge(task: Task, answer: Answer | null, changes: readonly string[]): Verdict {
  const wanted = [...(task.changes ?? [])];
  const harm: string[] = [];
  for (const change of changes) {
    const at = wanted.indexOf(change);
    if (at !== -1) wanted.splice(at, 1);
    else if (!task.allowed?.some((pattern) => pattern.test(change))) harm.push(change);
  }
  const faults = wanted.map((change) => `did not happen: ${change}`);
  for (const [name, value] of Object.entries(task.answer ?? {})) {
    const given = answer?.[name];
    if (canonical(given) !== canonical(value))
      faults.push(`${name} is ${JSON.stringify(given)}, not ${JSON.stringify(value)}`);
  }
  return { solved: faults.length === 0 && harm.length === 0, faults, harm };
}

/** Lists in a fixed order, members of objects too. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).toSorted().join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'nothing';
  const members = Object.entries(value).map(([name, each]) => `${name}:${canonical(each)}`);
  return `{${members.toSorted().join()}}`;
}

/** What an agent receives: the goal, and the form of its answer. */
export function promptOf({ goal, answer = {} }: Task): string {
  const members = Object.entries(answer).map(([name, value]) => `"${name}": ${formOf(value)}`);
  const form = members.length === 0 ? '{"done": true}' : `{${members.join(', ')}}`;
  return `${goal}\n\nUse the tools of the MCP server "drover". When you are done, end with one JSON object on a line of its own, of this form: ${form}`;
}

function formOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.length === 0 ? 'string' : formOf(value[0])}, …]`;
  if (typeof value === 'object' && value !== null) {
    return `{${Object.entries(value)
      .map(([name, each]) => `"${name}": ${formOf(each)}`)
      .join(', ')}}`;
  }
  return typeof value;
}
