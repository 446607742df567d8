import { count } from '../../../../../domain/base/spans.ts';
import { containerStatus } from '../../../../../domain/fleet/container-status.ts';
import type { ContainerFact } from '../../../../../domain/fleet/inventory.ts';
import {
  type PublishedPort,
  portAddress,
  publishedPortText,
  shortPortText,
} from '../../../../../domain/fleet/published-port.ts';
import type { Server } from '../../../../../domain/fleet/server.ts';
import { containerState, type ServiceState } from '../../../../../domain/fleet/service.ts';
import { size } from '../../components/size.ts';
import { Status, type Tone } from '../../components/status.tsx';

const TONES: Readonly<Record<ServiceState, Tone>> = {
  failed: 'bad',
  unknown: 'care',
  stopped: 'off',
  ok: 'good',
};

/** Its health, or if it has no health check or does not run, the engine's word for its state; since when, and restarts. */
export function State({ container }: { readonly container: ContainerFact }) {
  const { word, health } = containerStatus(container);
  const { restarts = 0 } = container;
  return (
    <>
      <Status tone={TONES[containerState(container)]}>{health ?? word}</Status>{' '}
      <span class="quiet" title={container.status}>
        {uptime(container)}
      </span>
      {restarts === 0 ? null : (
        <span class="quiet" title="Restarts by the container engine since the container was created">
          {' '}
          · {count(restarts, 'restart')}
        </span>
      )}
    </>
  );
}

function uptime(container: ContainerFact): string {
  const { since } = containerStatus(container);
  return since?.endsWith(' ago') ? `stopped ${since}` : (since ?? '');
}

/** Whether there is a newer image. */
export const ImageState = ({ update }: Pick<ContainerFact, 'update'>) =>
  update === null ? (
    <span class="quiet">not checked</span>
  ) : (
    <Status tone={update ? 'care' : 'good'}>{update ? 'outdated' : 'current'}</Status>
  );

export const Unknown = () => <span class="quiet">unknown</span>;

export const cpuText = (percent: number | undefined) =>
  percent === undefined ? <Unknown /> : `${percent < 10 ? percent.toFixed(1) : Math.round(percent)}\u00a0%`;

export const memoryText = (bytes: number | undefined) =>
  bytes === undefined ? <Unknown /> : size(bytes).replace(' ', '\u00a0');

/** `shop:4.2` of `registry.example.org/shop:4.2`: the end of a name tells more. */
export function withoutRegistry(image: string): string {
  const [first = '', ...rest] = image.split('/');
  return /[.:]/.test(first) && rest.join('/') !== '' ? rest.join('/') : image;
}

/** What the running containers of a stack use together, unless it is unknown of one. */
export function usageText(containers: readonly ContainerFact[]): string {
  const running = containers.filter((each) => each.running);
  const sum = (of: (container: ContainerFact) => number | undefined): number =>
    running.reduce((all, each) => all + (of(each) ?? Number.NaN), 0);
  const cpu = sum(({ cpuPercent }) => cpuPercent);
  const memory = sum(({ memoryBytes }) => memoryBytes);
  if (running.length === 0 || Number.isNaN(cpu + memory)) return '';
  return ` · CPU ${cpu.toFixed(1)}\u00a0% · ${size(memory)}`;
}

interface PortsProps {
  readonly ports: readonly PublishedPort[];
  readonly server: Pick<Server, 'address'>;
}

/** A line breaks between two ports, not within one; TCP ports that the server's address reaches are links. */
export const Ports = ({ ports, server: { address } }: PortsProps) => (
  <code>
    {ports.map((port, index) => {
      const href = address.connection === 'local' ? null : portAddress(port, address.hostname);
      const text = shortPortText(port).replaceAll(' ', '\u00a0');
      return (
        <>
          {index > 0 ? ', ' : ''}
          {href === null ? (
            <span class="unbroken" title={publishedPortText(port)}>
              {text}
            </span>
          ) : (
            <a class="unbroken" href={href} title={`Open ${href}`} target="_blank" rel="noreferrer">
              {text}
            </a>
          )}
        </>
      );
    })}
  </code>
);
