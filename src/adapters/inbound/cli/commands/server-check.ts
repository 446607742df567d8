import type { Command } from 'commander';
import { CheckServer } from '../../../../application/fleet/check-server.ts';
import { shellCommand } from '../../../../domain/base/shell-command.ts';
import type { Server } from '../../../../domain/fleet/server.ts';
import { inventoryView } from '../../api/views/inventory-view.ts';
import { serverView } from '../../api/views/server-view.ts';
import { SERVER_ARGUMENT, withExamples } from '../arguments.ts';
import { findServer } from '../find-server.ts';
import type { Runner } from '../runner.ts';
import { inventoryText } from '../server-text.ts';
import type { Reply, Session } from '../session.ts';
import { type TrustOptions, trustHostKey, withTrust } from '../trust-host-key.ts';

export function addServerCheckCommand(server: Command, runner: Runner): void {
  withExamples(
    withTrust(
      server
        .command('check')
        .description('connect to a server and update its inventory; confirm its host key if needed')
        .argument(...SERVER_ARGUMENT),
    ).action(runner.run(check)),
    'drover server check web',
    'drover server check web --host-key SHA256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU',
  );
}

async function check(session: Session, reference: string, options: TrustOptions): Promise<Reply> {
  const server = await findServer(session, reference);
  const { connection, hostKey } = server.address;
  // A pinned key is replaced only if the user gives the new one explicitly.
  if (connection === 'ssh' && (hostKey === null || options.hostKey !== undefined)) {
    await trustHostKey(session, server, options);
  }
  const { json, text } = await checked(session, server);
  return { json, text };
}

/** Checks that the service can work on a server, and prints what it found. */
export async function checked(session: Session, server: Server) {
  const found = await session.useCases.get(CheckServer).execute(session.actor, server.id, session.signal);
  const { inventory, suggestedJail, jailNote } = found;
  const jail =
    suggestedJail === null || found.server.jail !== null
      ? jailNote === null
        ? ''
        : `\n${jailNote}\n`
      : `\nNo file root is set yet. Suggested directory: ${suggestedJail}\n  ${shellCommand`drover server edit ${server.id} --jail ${suggestedJail}`}\n`;
  return {
    json: {
      ok: true,
      server: serverView(found.server),
      inventory: inventoryView(found.server, inventory),
      suggested_jail: suggestedJail,
    },
    text: `Connected to ${server.name}.\n${inventoryText(found.server, inventory)}${jail}`,
  };
}
