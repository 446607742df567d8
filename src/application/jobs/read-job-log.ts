import type { Actor } from '../../domain/access/actor.ts';
import { LogLines, type LogPlace } from '../../domain/jobs/log-lines.ts';
import { UseCase } from '../base/use-case.ts';
import { visibleJob } from './get-job.ts';

/** A stretch of a log by the numbers of its lines; the first line is number 1. */
export interface LogStretch {
  readonly first: number;
  readonly lines: readonly string[];
  /** After the last line so far. */
  readonly end: LogPlace;
}

interface LogRange {
  /** From this line on; `null`: the last ones. */
  readonly from: number | null;
  readonly most: number;
  /** Of all lines together; the last line of a part may exceed it. */
  readonly mostCharacters: number;
}

/**
 * Reads a job's log by line numbers, for people. To number the lines it reads the log from the start: at most 10 MB.
 */
export class ReadJobLog extends UseCase<'jobs'> {
  /** Throws `job_not_found`. */
  async execute(actor: Actor, id: number, wanted: LogRange): Promise<LogStretch> {
    const kept: string[] = [];
    let characters = 0;
    let first = wanted.from ?? 1;
    const end = await this.#scan(actor, id, (line, number) => {
      if (wanted.from !== null) {
        if (number < wanted.from || kept.length === wanted.most || characters > wanted.mostCharacters) return;
      }
      kept.push(line);
      characters += line.length;
      while (
        wanted.from === null &&
        (kept.length > wanted.most || (characters > wanted.mostCharacters && kept.length > 1))
      ) {
        characters -= kept.shift()?.length ?? 0;
        first = number + 1 - kept.length;
      }
    });
    return { first: Math.min(first, end.lines + 1), lines: kept, end };
  }

  /** All of it, in pieces. Throws `job_not_found`. */
  async *text(actor: Actor, id: number): AsyncGenerator<string> {
    actor.require('read');
    await visibleJob(this.deps.jobs, actor, id);
    const lines = new LogLines();
    for (;;) {
      const part = await this.deps.jobs.readLog(id, lines.read);
      if (part.text === '' && part.cutBytes === 0) return;
      yield lines
        .add(part)
        .map((line) => `${line}\n`)
        .join('');
    }
  }

  async #scan(actor: Actor, id: number, onLine: (line: string, number: number) => void): Promise<LogPlace> {
    actor.require('read');
    await visibleJob(this.deps.jobs, actor, id);
    const lines = new LogLines();
    for (;;) {
      const part = await this.deps.jobs.readLog(id, lines.read);
      if (part.text === '' && part.cutBytes === 0) return lines.place;
      const before = lines.place.lines;
      lines.add(part).forEach((line, index) => onLine(line, before + index + 1));
    }
  }
}
