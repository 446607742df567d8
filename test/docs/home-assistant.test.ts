import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { fleetDevice, serverDevice } from '../../src/domain/events/home-assistant/devices.ts';
import { UNKNOWN_FACTS } from '../../src/domain/fleet/server.ts';
import { describeServer } from '../../src/domain/fleet/server-description.ts';

interface Device {
  readonly device: { readonly name: string };
  readonly components: Readonly<Record<string, { readonly platform: string; readonly name: string }>>;
}

const TERMS = {
  topics: { base: 'drover', prefix: 'homeassistant' },
  version: '1.0.0',
  link: null,
  hasCommands: true,
};
const SERVER = {
  ...describeServer({
    name: 'web',
    connection: 'local',
    features: { backup: true, os_patch: true, docker: true },
  }),
  id: 1,
  facts: UNKNOWN_FACTS,
  alertsOpen: 0,
  worstAlert: null,
  criticalKind: null,
  createdAt: 0,
  updatedAt: 0,
};

/** As Home Assistant makes them of the names of a device and its entities. */
const idsOf = ({ device, components }: Device): readonly string[] =>
  Object.values(components).map(
    ({ platform, name }) => `${platform}.${`${device.name} ${name}`.toLowerCase().replaceAll(' ', '_')}`,
  );

test.each(['dashboard.yaml', 'automations.yaml'])('The entities of %s exist', async (name) => {
  const text = await readFile(`integrations/home-assistant/${name}`, 'utf8');
  const used = [...text.matchAll(/\b(?:sensor|binary_sensor|update|button)\.(?:web|drover)_[a-z_]+/g)];
  const known = [fleetDevice(TERMS), serverDevice(SERVER, TERMS)].flatMap((each) => idsOf(each as Device));
  expect(used.length).toBeGreaterThan(1);
  expect(used.map(([id]) => id).filter((id) => !known.includes(id))).toEqual([]);
});
