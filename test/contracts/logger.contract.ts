import { describe, expect, test } from 'vitest';
import type { Logger } from '../../src/application/ports/base/logger.ts';

export interface LoggerSubject {
  readonly logger: Logger;
  /** The log so far, oldest first. */
  readonly lines: () => readonly { level: string; message: string; fields: object }[];
}

export function loggerContract(name: string, makeSubject: () => LoggerSubject): void {
  describe(`${name} as a logger`, () => {
    test('keeps level, message and fields, in order', () => {
      const { logger, lines } = makeSubject();
      logger.debug('looking');
      logger.info('started', { port: 8888 });
      logger.warn('slow', { ms: 1200 });
      logger.error('failed', { code: 'internal' });
      expect(lines()).toEqual([
        { level: 'debug', message: 'looking', fields: {} },
        { level: 'info', message: 'started', fields: { port: 8888 } },
        { level: 'warn', message: 'slow', fields: { ms: 1200 } },
        { level: 'error', message: 'failed', fields: { code: 'internal' } },
      ]);
    });

    test('adds the fields of all its elders to a child', () => {
      const { logger, lines } = makeSubject();
      logger.child({ job: 7 }).child({ server: 1 }).info('transferred', { bytes: 12 });
      logger.info('idle');
      expect(lines()).toEqual([
        { level: 'info', message: 'transferred', fields: { job: 7, server: 1, bytes: 12 } },
        { level: 'info', message: 'idle', fields: {} },
      ]);
    });
  });
}
