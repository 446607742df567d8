import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type BrokerConnection,
  type BrokerMessage,
  BrokerRefused,
  type BrokerTarget,
  type BrokerTerms,
  type MessageBroker,
} from '../../src/application/ports/events/message-broker.ts';
import { eventually } from '../support/processes.ts';

const NEVER = new AbortController().signal;
const WITHIN_MS = 10_000;

export interface BrokerSubject {
  readonly broker: MessageBroker;
  readonly target: BrokerTarget;
  readonly remove: () => Promise<void>;
}

/** What every `MessageBroker` does. */
export function messageBrokerContract(name: string, make: () => Promise<BrokerSubject>): void {
  describe(`MessageBroker: ${name}`, () => {
    let subject: BrokerSubject;
    let count = 0;
    beforeAll(async () => {
      subject = await make();
    });
    afterAll(() => subject.remove());

    const open = async (
      over: Partial<BrokerTerms> = {},
      got: BrokerMessage[] = [],
    ): Promise<BrokerConnection> => {
      count += 1;
      const terms = {
        clientId: `client-${count}`,
        topics: ['drover/+/state'],
        onMessage: (each: BrokerMessage) => void got.push(each),
      };
      return subject.broker.connect(subject.target, { ...terms, ...over }, NEVER);
    };
    const arrived = (got: readonly BrokerMessage[], wanted: BrokerMessage) =>
      eventually(
        `${wanted.topic} arrives`,
        WITHIN_MS,
        async () => got.some((each) => JSON.stringify(each) === JSON.stringify(wanted)) || undefined,
      );

    it('passes messages on by topic, and tells new ones from those that it kept', async () => {
      const before: BrokerMessage[] = [];
      const reader = await open({}, before);
      const writer = await open({ topics: [] });
      await writer.publish('drover/1/state', 'now', true);
      await writer.publish('drover/1/other', 'not asked for', true);
      await arrived(before, { topic: 'drover/1/state', payload: 'now', isRetained: false });
      const later: BrokerMessage[] = [];
      const second = await open({}, later);
      await arrived(later, { topic: 'drover/1/state', payload: 'now', isRetained: true });
      await writer.publish('drover/1/state', '', true);
      await arrived(before, { topic: 'drover/1/state', payload: '', isRetained: false });
      const last: BrokerMessage[] = [];
      const third = await open({}, last);
      await writer.publish('drover/2/state', 'unkept', false);
      await arrived(last, { topic: 'drover/2/state', payload: 'unkept', isRetained: false });
      expect([before, last].flat().map(({ topic }) => topic)).not.toContain('drover/1/other');
      expect(last.map(({ topic }) => topic)).not.toContain('drover/1/state');
      await Promise.all([reader, writer, second, third].map((each) => each.close()));
      expect(reader.isOpen).toBe(false);
      await expect(reader.publish('drover/1/state', 'late', true)).rejects.toThrow(BrokerRefused);
    });

    it('ends a connection for another of the same name, and then sends its will', async () => {
      const got: BrokerMessage[] = [];
      const reader = await open({ topics: ['drover/status'] }, got);
      const will = { topic: 'drover/status', payload: 'offline' };
      const first = await open({ clientId: 'one-name', topics: [], will });
      const second = await open({ clientId: 'one-name', topics: [], will });
      await arrived(got, { ...will, isRetained: false });
      await eventually('the first connection ends', WITHIN_MS, async () => !first.isOpen || undefined);
      expect(second.isOpen).toBe(true);
      got.length = 0;
      // One that is closed leaves no will.
      await second.close();
      const third = await open({ topics: [] });
      await third.publish('drover/status', 'after', false);
      await arrived(got, { topic: 'drover/status', payload: 'after', isRetained: false });
      expect(got.map(({ payload }) => payload)).toEqual(['after']);
      await Promise.all([reader, third].map((each) => each.close()));
    });

    it('refuses a wrong password, in words without it', async () => {
      const target = { ...subject.target, password: 'wrong' };
      const refused = subject.broker.connect(target, { clientId: 'x', topics: [] }, NEVER);
      await expect(refused).rejects.toThrow(/^The broker refused the user name or password\.$/);
      await expect(refused).rejects.toBeInstanceOf(BrokerRefused);
    });
  });
}
