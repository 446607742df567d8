import { describe, expect, it } from 'vitest';
import { DomainError } from '../../src/domain/base/errors.ts';
import { hostFactsContract } from '../contracts/host-facts.contract.ts';
import { FakeHost } from './fake-host.ts';
import { FakeHostFacts, fakeInventory } from './fake-host-facts.ts';

hostFactsContract('fake', async () => {
  const [host, other, gone] = ['here', 'other', 'gone'].map((name) => new FakeHost(name).session());
  if (!host || !other || !gone) throw new Error('three hosts');
  const facts = new FakeHostFacts()
    .answer(other, new DomainError('host_unsupported', 'It is a printer.'))
    .answer(gone, new DomainError('host_unreachable', 'It is gone.'));
  return { facts, host, other, gone, fingerprint: async () => '', close: async () => undefined };
});

describe('FakeHostFacts', () => {
  it('reports of each host what was set for it', async () => {
    const { signal } = new AbortController();
    const [one, two] = [new FakeHost('one').session(), new FakeHost('two').session()];
    const facts = new FakeHostFacts().answer(one, fakeInventory({ hostname: 'one' }));
    facts.inventory = fakeInventory({ hostname: 'any' });
    expect((await facts.gather(one, { signal })).hostname).toBe('one');
    expect((await facts.gather(two, { signal })).hostname).toBe('any');
  });
});
