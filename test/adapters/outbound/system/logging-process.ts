import { PinoLogger } from '../../../../src/adapters/outbound/system/pino-logger.ts';

/** Logs many lines, and then ends immediately in the way that the argument names. */
const [how = ''] = process.argv.slice(2);
const logger = PinoLogger.toStderr('info');
if (how.startsWith('heard')) process.once('SIGTERM', () => process.exit(7));
for (let index = 0; index < 100; index += 1) logger.info('line', { index });

switch (how) {
  case 'throw':
    setImmediate(() => {
      throw new Error('nobody caught this');
    });
    break;
  case 'reject':
    void Promise.reject(new Error('nobody caught this'));
    break;
  case 'exit':
    process.exit(3);
    break;
  case 'warn and SIGKILL':
    logger.child({ of: 'a child' }).warn('warned');
    process.kill(process.pid, 'SIGKILL');
    break;
  case 'error and SIGKILL':
    logger.error('failed');
    process.kill(process.pid, 'SIGKILL');
    break;
  case 'stay':
    setInterval(() => {}, 60_000);
    break;
  case 'end':
    break;
  default:
    setInterval(() => {}, 60_000);
    process.kill(process.pid, how.split(' ').at(-1));
}
