import { beforeEach, describe, expect, it } from 'vitest';
import { ORDERS_KEPT_MS } from '../../src/domain/compose/deployment.ts';
import { expectRefusal } from '../support/expect-refusal.ts';
import {
  AT,
  addServer,
  brokenRecord,
  type MakeStores,
  noRecord,
  type StoresSubject,
  trailOf,
} from '../support/stores-subject.ts';
import { newDeployment } from '../support/templates.ts';

const ALL = { limit: 100, offset: 0 };
const sealFor = (id: number): string => `sealed for ${id}`;

/** What every `DeploymentStore` does. */
export function deploymentStoreContract(name: string, makeStores: MakeStores): void {
  describe(`DeploymentStore: ${name}`, () => {
    let stores: StoresSubject;
    beforeEach(async () => {
      stores = await makeStores();
    });

    describe('orders', () => ordering(() => stores));
    describe('deployments', () => recording(() => stores));
  });
}

function ordering(stores: () => StoresSubject): void {
  it('keeps values encrypted for their own row, until they are dropped', async () => {
    const { deployments } = stores();
    const serverId = await addServer(stores(), 'web');
    const asked = { serverId, names: ['a', 'password'], createdAt: AT };
    const first = await deployments.order(asked, sealFor);
    const second = await deployments.order({ ...asked, names: [] }, sealFor);
    expect(first).toEqual({ ...asked, id: first.id, sealedValues: `sealed for ${first.id}` });
    expect(await deployments.findOrder(first.id)).toEqual(first);
    await deployments.dropOrder(first.id);
    await deployments.dropOrder(first.id);
    expect(await deployments.findOrder(first.id)).toBeNull();
    expect(await deployments.findOrder(second.id)).toEqual(second);
  });

  it('keeps nothing where it cannot be encrypted', async () => {
    const { deployments } = stores();
    const serverId = await addServer(stores(), 'web');
    const broken = (): string => {
      throw new Error('no key today');
    };
    const ids: number[] = [];
    const seal = (id: number): string => {
      ids.push(id);
      return broken();
    };
    await expect(deployments.order({ serverId, names: [], createdAt: AT }, seal)).rejects.toThrow('no key');
    expect(await deployments.findOrder(ids[0] ?? 0)).toBeNull();
  });

  it('deletes those that are old', async () => {
    const { deployments } = stores();
    const serverId = await addServer(stores(), 'web');
    const at = (createdAt: number) => deployments.order({ serverId, names: [], createdAt }, sealFor);
    const old = await at(AT);
    const young = await at(AT + 1);
    await at(AT + ORDERS_KEPT_MS + 1);
    expect(await deployments.findOrder(old.id)).toBeNull();
    expect(await deployments.findOrder(young.id)).toEqual(young);
  });
}

function recording(stores: () => StoresSubject): void {
  it('keeps everything, and finds it by its directory', async () => {
    const { deployments } = stores();
    const serverId = await addServer(stores(), 'web');
    const made = newDeployment(serverId, '/srv/stacks/demo');
    const recorded = await deployments.record(made, sealFor, trailOf('template.deployed', 'deployment'));
    expect(recorded).toEqual({
      ...made,
      id: recorded.id,
      serverName: 'web',
      sealedSecrets: `sealed for ${recorded.id}`,
    });
    expect(await deployments.find(serverId, '/srv/stacks/demo')).toEqual(recorded);
    expect(await deployments.find(serverId, '/srv/stacks/Demo')).toBeNull();
    expect(await deployments.find(serverId, '/srv/stacks/demo ')).toBeNull();
    expect((await stores().record()).audit).toEqual([`template.deployed deployment:${recorded.id}`]);
  });

  it('has one for a directory: the last', async () => {
    const { deployments } = stores();
    const serverId = await addServer(stores(), 'web');
    const first = await deployments.record(newDeployment(serverId, '/srv/demo'), sealFor, noRecord);
    const next = newDeployment(serverId, '/srv/demo', {
      templateName: 'other',
      templateVersion: 1,
      values: {},
      secretNames: [],
      files: ['compose.yaml'],
      jobId: 8,
      deployedAt: AT + 5,
    });
    const second = await deployments.record(next, (id) => `anew ${id}`, noRecord);
    expect(second).toEqual({ ...next, id: first.id, serverName: 'web', sealedSecrets: `anew ${first.id}` });
    expect((await deployments.list({}, ALL)).items).toEqual([second]);
  });

  it('keeps nothing where the record fails, or the server is gone', async () => {
    const { deployments, servers } = stores();
    const serverId = await addServer(stores(), 'web');
    const made = newDeployment(serverId, '/srv/demo');
    await expect(deployments.record(made, sealFor, brokenRecord)).rejects.toThrow('no record today');
    expect(await deployments.find(serverId, '/srv/demo')).toBeNull();
    await deployments.record(made, sealFor, noRecord);
    await servers.remove(serverId, AT, {});
    await expectRefusal(deployments.record(made, sealFor, noRecord), 'server_not_found');
    expect(await deployments.find(serverId, '/srv/demo')).toBeNull();
    expect((await deployments.list({}, ALL)).total).toBe(0);
  });

  it('lists by server and directory, and only what is asked for', async () => {
    const { deployments } = stores();
    const zoo = await addServer(stores(), 'zoo');
    const ant = await addServer(stores(), 'ant');
    const record = (serverId: number, directory: string, templateName = 'demo') =>
      deployments.record(newDeployment(serverId, directory, { templateName }), sealFor, noRecord);
    await record(zoo, '/srv/a');
    await record(ant, '/srv/b', 'other');
    await record(ant, '/srv/a');
    const listed = async (filter: Parameters<typeof deployments.list>[0], page = ALL) => {
      const { items, total } = await deployments.list(filter, page);
      return [total, ...items.map(({ serverName, directory }) => `${serverName}${directory}`)];
    };
    expect(await listed({})).toEqual([3, 'ant/srv/a', 'ant/srv/b', 'zoo/srv/a']);
    expect(await listed({}, { limit: 1, offset: 1 })).toEqual([3, 'ant/srv/b']);
    expect(await listed({ serverId: zoo })).toEqual([1, 'zoo/srv/a']);
    expect(await listed({ serverIds: [ant] })).toEqual([2, 'ant/srv/a', 'ant/srv/b']);
    expect(await listed({ serverIds: [] })).toEqual([0]);
    expect(await listed({ serverIds: null, templateName: 'other' })).toEqual([1, 'ant/srv/b']);
  });
}
