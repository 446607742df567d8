import { chown } from 'node:fs/promises';
import { jailFsContract } from '../../../../contracts/jail-fs.contract.ts';
import { describeWith } from '../../../../support/capabilities.ts';
import { ChildJails } from '../../../../support/child-jails.ts';
import { fixtureHere } from '../../../../support/jail-fixture.ts';
import { HERE, jailRoot, localJails } from './here.ts';

/** The number of the user `nobody`, on every Linux. */
const NOBODY = 65_534;

jailFsContract('this machine, by descriptors', async () => {
  const { root, remove } = await jailRoot();
  return { fixture: fixtureHere(root), jails: localJails(), access: HERE, close: remove };
});

describeWith('root', 'as a plain user', () => {
  jailFsContract('this machine, by descriptors, as a plain user', async () => {
    const { root, remove } = await jailRoot();
    await chown(root, NOBODY, NOBODY);
    const jails = await ChildJails.start({ user: NOBODY });
    const close = async (): Promise<void> => {
      await jails.kill();
      await remove();
    };
    return { fixture: fixtureHere(root), jails, access: HERE, close };
  });
});
