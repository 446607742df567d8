// A process of its own, so that what the hosts do does not count for anybody else.
import { SimulatedSshd } from '../../test/support/simulated-sshd.ts';

const sshd = await SimulatedSshd.start(Number(process.argv[2]));
console.log(JSON.stringify(sshd.host));
process.once('SIGTERM', () => process.exit());
