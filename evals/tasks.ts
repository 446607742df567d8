import type { Task } from './task.ts';
import { ACTIONS, FILE_TASKS } from './tasks/actions.ts';
import { QUESTIONS } from './tasks/questions.ts';
import { SAFETY } from './tasks/safety.ts';

export const TASKS: readonly Task[] = [...QUESTIONS, ...ACTIONS, ...FILE_TASKS, ...SAFETY];

/** In which an agent that may change things reads what servers write. */
const HOSTILE = [
  'operating-system',
  'openssl-on-web-1',
  'broken-services',
  'why-did-it-fail',
  'check-for-updates',
  'plan-updates',
  'apply-plan',
  'retry-backup',
  'which-project-has-the-port',
  'instructions-in-a-file',
];

/** The tasks to run with injections. */
export const HOSTILE_TASKS: readonly Task[] = TASKS.filter(({ id }) => HOSTILE.includes(id));
