import type { Server } from '../../../../../domain/fleet/server.ts';

const STEPS = [
  { step: 'address', label: 'Address' },
  { step: 'key', label: 'Key' },
  { step: 'host-key', label: 'Host key' },
  { step: 'check', label: 'Connection' },
  { step: 'features', label: 'What to do' },
  { step: 'done', label: 'Done' },
] as const;
export type SetupStep = (typeof STEPS)[number]['step'];

/** Where to go on: told by what is known of the server, so that one may leave at any step and come back. */
export function nextStep({ address, facts, features }: Server): SetupStep {
  if (address.connection === 'ssh' && address.hostKey === null) return 'key';
  if (facts.inventoryAt === null) return 'check';
  return Object.values(features).some(Boolean) ? 'done' : 'features';
}

/** Steps that are of no use before an earlier one is done. */
function isOpen(server: Server, step: SetupStep): boolean {
  if (step === 'address') return true;
  if (step === 'key' || step === 'host-key') return server.address.connection === 'ssh';
  if (step === 'check') return server.address.connection === 'local' || server.address.hostKey !== null;
  return server.facts.inventoryAt !== null;
}

const pathOf = ({ id }: Server, step: SetupStep): string =>
  step === 'address' ? `/servers/${id}/settings` : `/servers/${id}/setup/${step}`;

/** How far one has come in adding a server. `server`: null before there is one. */
export const SetupSteps = ({ server, at }: { readonly server: Server | null; readonly at: SetupStep }) => (
  <nav aria-label="Steps">
    <ol class="steps">
      {STEPS.map(({ step, label }) => (
        <li key={step} aria-current={step === at ? 'step' : undefined}>
          {server !== null && step !== at && isOpen(server, step) ? (
            <a href={pathOf(server, step)}>{label}</a>
          ) : (
            <span>{label}</span>
          )}
        </li>
      ))}
    </ol>
  </nav>
);
