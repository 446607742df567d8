import { containerStatus } from '../../../../../domain/fleet/container-status.ts';
import type { ContainerFact } from '../../../../../domain/fleet/inventory.ts';
import { type PublishedPort, publishedPortText } from '../../../../../domain/fleet/published-port.ts';
import { containerState, type ServiceState } from '../../../../../domain/fleet/service.ts';
import { Status, type Tone } from '../../components/status.tsx';

const TONES: Readonly<Record<ServiceState, Tone>> = {
  failed: 'bad',
  unknown: 'care',
  stopped: 'off',
  ok: 'good',
};

/** Its health, or if it has no health check or does not run, the engine's word for its state. */
export function State({ container }: { readonly container: ContainerFact }) {
  const { word, health } = containerStatus(container);
  return <Status tone={TONES[containerState(container)]}>{health ?? word}</Status>;
}

export function uptime(container: ContainerFact): string {
  const { since } = containerStatus(container);
  return since?.endsWith(' ago') ? `stopped ${since}` : (since ?? '');
}

/** A line breaks between two ports, not within one. */
export const Ports = ({ ports }: { readonly ports: readonly PublishedPort[] }) => (
  <code>{ports.map((port) => publishedPortText(port).replaceAll(' ', '\u00a0')).join(', ')}</code>
);
