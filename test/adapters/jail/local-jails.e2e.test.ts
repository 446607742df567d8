import { jailFsContract } from '../../contracts/jail-fs.contract.ts';
import { realWorld, runHere } from '../../support/jail-world.ts';
import { HERE, jailRoot, localJails } from './here.ts';

jailFsContract('this machine, by descriptors', async () => {
  const { root, remove } = await jailRoot();
  return { world: realWorld(root, runHere), jails: localJails(), access: HERE, close: remove };
});
