import type { ComposeOrder } from '../../../../application/ports/compose/container-engine.ts';
import type { StepReader } from '../../../../domain/jobs/phases.ts';

const ROLLBACK = 'Rolling back to the previous images.';
/** Of compose about a container: ` Container shop-app-1  Recreate`. */
const CONTAINER = /^ ?Container \S+ /;

const GUARD_STEPS: Readonly<Record<string, string>> = {
  'Stopping the project to save its data.': 'Saving the data',
  'The data is saved.': 'Changing the containers',
  'The data is restored.': 'Starting the previous containers',
};
const OBSERVING = 'Observing the project for ';

/** Reads which step of the work runs from what its script and compose print. Images that the host has are not pulled. */
export function workSteps(order: ComposeOrder): StepReader {
  const total = imagesOf(order);
  let pulls = 0;
  let rolledBack = false;
  return (line) => {
    if (line.startsWith('Pulling ')) {
      pulls += 1;
      const amount = { done: Math.min(pulls - 1, total), total, unit: 'images' } as const;
      return total === 0 ? { name: 'Pulling images' } : { name: 'Pulling images', amount };
    }
    rolledBack ||= line.endsWith(ROLLBACK);
    if (line.endsWith(ROLLBACK)) return { name: 'Rolling back' };
    if (line.startsWith(OBSERVING)) return { name: 'Observing the project' };
    const step = GUARD_STEPS[line];
    if (step !== undefined) return { name: step };
    return CONTAINER.test(line) && !rolledBack ? { name: 'Changing the containers' } : null;
  };
}

function imagesOf(order: ComposeOrder): number {
  if (order.kind === 'deploy') return new Set(order.images.map(({ image, to }) => `${image} ${to}`)).size;
  if (order.kind !== 'patch') return 0;
  const services = order.projects.flatMap((project) => project.services);
  return new Set(services.map(({ change }) => `${change.image} ${change.to}`)).size;
}
