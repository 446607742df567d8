import { cronClockContract } from '../contracts/cron-clock.contract.ts';
import { FakeCronClock } from './fake-cron-clock.ts';

cronClockContract('fake', new FakeCronClock());
