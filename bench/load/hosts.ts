// A separate process, so that the hosts' work does not count for the others.
import { SimulatedSshd } from '../../test/support/simulated-sshd.ts';

const sshd = await SimulatedSshd.start(Number(process.argv[2]));
console.log(JSON.stringify(sshd.host));
process.once('SIGTERM', () => process.exit());
