import type { Task } from './task.ts';
import { ACTIONS, FILE_TASKS } from './tasks/actions.ts';
import { QUESTIONS } from './tasks/questions.ts';
import { SAFETY } from './tasks/safety.ts';

export const TASKS: readonly Task[] = [...QUESTIONS, ...ACTIONS, ...FILE_TASKS, ...SAFETY];
