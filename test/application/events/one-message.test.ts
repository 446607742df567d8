import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DAY, HOUR } from '../../../src/domain/base/instant.ts';
import { AT_ONCE } from '../../../src/domain/events/channels/channel-timing.ts';
import type { DomainEvent } from '../../../src/domain/events/event.ts';
import { FakeClock } from '../../fakes/fake-clock.ts';
import { type Messaging, messagingOf } from '../../support/messaging.ts';
import { answers, Receiver } from '../../support/receiver.ts';
import { type Kept, sceneDatabase } from '../../support/scene-database.ts';
import { AT, noRecord } from '../../support/stores-subject.ts';

const TOKEN = '123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11';
const BOT = 'xoxb-1234567890-abcdef';

/** How a service takes and updates a message, with its recorded answers. `SERVER` is its address. */
interface Vendor {
  readonly values: Readonly<Record<string, string>>;
  readonly taken: string;
  readonly update: {
    readonly request: string;
    /** What names the message, in the body. */
    readonly body: object;
    readonly taken: string;
    readonly missing?: readonly [number, string];
  };
}

const VENDORS = {
  ntfy: {
    values: { server: 'SERVER', topic: 'drover' },
    taken: '{"id":"hwQ2YpKdmg","time":1635528741,"event":"message","topic":"drover","message":"x"}',
    update: {
      request: 'POST /',
      body: { sequence_id: 'backup-stale-7' },
      taken: '{"id":"zzQ2YpKdmg","time":1635528742,"event":"message","sequence_id":"backup-stale-7"}',
    },
  },
  slack: {
    values: { token: BOT, channel: '#ops', server: 'SERVER' },
    taken: '{"ok":true,"channel":"C123ABC456","ts":"1503435956.000247","message":{"type":"message"}}',
    update: {
      request: 'POST /api/chat.update',
      body: { channel: 'C123ABC456', ts: '1503435956.000247' },
      taken: '{"ok":true,"channel":"C123ABC456","ts":"1503435956.000247","text":""}',
      missing: [200, '{"ok":false,"error":"message_not_found"}'],
    },
  },
  discord: {
    values: { url: 'SERVER/api/webhooks/1/abc?thread_id=9' },
    taken: '{"id":"1234567890123456789","type":0,"content":"","embeds":[]}',
    update: {
      request: 'PATCH /api/webhooks/1/abc/messages/1234567890123456789?thread_id=9',
      body: {},
      taken: '{"id":"1234567890123456789","type":0,"content":"","embeds":[]}',
      missing: [404, '{"message": "Unknown Message", "code": 10008}'],
    },
  },
  telegram: {
    values: { server: 'SERVER', token: TOKEN, chat: '-100123', topic: '7' },
    taken: '{"ok":true,"result":{"message_id":11,"date":1635528741}}',
    update: {
      request: `POST /bot${TOKEN}/editMessageText`,
      body: { chat_id: '-100123', message_id: 11 },
      taken: '{"ok":true,"result":{"message_id":11,"date":1635528741,"edit_date":1635528742}}',
      missing: [400, '{"ok":false,"error_code":400,"description":"Bad Request: message to edit not found"}'],
    },
  },
} as const satisfies Record<string, Vendor>;
type VendorName = keyof typeof VENDORS;
const NAMES = Object.keys(VENDORS) as readonly VendorName[];

const PROBLEM = {
  type: 'backup.stale',
  severity: 'critical',
  title: 'No backup of web-1',
  problem: 'backup.stale:7',
} as const;
const OVER = {
  type: 'server.recovered',
  severity: 'info',
  title: 'web-1 has recent backups again',
  problem: 'backup.stale:7',
} as const;

describe('One message per problem', () => {
  let clock: FakeClock;
  let service: Messaging;
  let receiver: Receiver;
  let kept: Kept;
  beforeEach(() => {
    clock = new FakeClock(AT);
    const stores = sceneDatabase(clock);
    kept = stores.kept;
    service = messagingOf(stores, clock);
    receiver = new Receiver('');
  });
  afterEach(async () => {
    service.poster.close();
    await receiver.close();
  });

  async function channel(kind: VendorName): Promise<Vendor> {
    const vendor: Vendor = VENDORS[kind];
    const server = `http://127.0.0.1:${await receiver.listen()}`;
    const values = Object.fromEntries(
      Object.entries(vendor.values).map(([name, value]) => [name, value.replace('SERVER', server)]),
    );
    const request = { name: 'chat', kind, values, allowPrivate: true, minSeverity: 'warning' };
    await service.manageChannels.add(service.operator, request);
    return vendor;
  }
  async function tell(
    event: Partial<DomainEvent>,
    ...replies: readonly (readonly [number, string])[]
  ): Promise<void> {
    receiver.behave.push(...replies.map(([status, body]) => answers(status, {}, body)));
    await service.tell(event);
    await service.look();
  }
  const requests = (): readonly string[] => receiver.received.map(({ method, path }) => `${method} ${path}`);
  const lastBody = (): unknown => JSON.parse(receiver.received.at(-1)?.body ?? '');
  const statuses = () =>
    kept.rows<{ status: string }>('SELECT status FROM deliveries ORDER BY id').map(({ status }) => status);

  it.each(NAMES)('%s: a reminder and the end update the message, whatever the filter is', async (kind) => {
    const { taken, update } = await channel(kind);
    await tell(PROBLEM, [200, taken]);
    await tell({ ...PROBLEM, title: 'Still no backup of web-1' }, [200, update.taken]);
    expect(requests()[1]).toBe(update.request);
    expect(lastBody()).toMatchObject(update.body);
    expect(receiver.received[1]?.body).toContain('Still no backup');
    // The channel's filter selects warnings, and this is none.
    await tell(OVER, [200, update.taken]);
    expect(requests().slice(1)).toEqual([update.request, update.request]);
    expect(receiver.received[2]?.body).toContain('recent backups again');
    expect(statuses()).toEqual(['delivered', 'delivered', 'delivered']);
    expect(kept.count('channel_messages')).toBe(0);
    await tell(PROBLEM, [200, taken]);
    expect(requests()[3]).toBe(requests()[0]);
  });

  it.each(NAMES)('%s: the end of a problem of which nothing was sent is not sent either', async (kind) => {
    await channel(kind);
    await tell(OVER);
    expect(requests()).toEqual([]);
  });

  it.each(NAMES.filter((kind) => kind !== 'ntfy'))('%s: a deleted message is sent again', async (kind) => {
    const { taken, update } = await channel(kind);
    await tell(PROBLEM, [200, taken]);
    await tell(PROBLEM, update.missing ?? [500, ''], [200, taken]);
    expect(requests()).toEqual([requests()[0], update.request, requests()[0]]);
    expect(statuses()).toEqual(['delivered', 'delivered']);
  });

  it.each(NAMES)('%s: an update that fails is tried again', async (kind) => {
    const { taken, update } = await channel(kind);
    await tell(PROBLEM, [200, taken]);
    await tell(OVER, [503, '']);
    expect(statuses()).toEqual(['delivered', 'pending']);
    receiver.behave.push(answers(200, {}, update.taken));
    await clock.advance(HOUR);
    await service.look();
    expect(requests()).toEqual([requests()[0], update.request, update.request]);
    expect(statuses()).toEqual(['delivered', 'delivered']);
  });

  it('a problem that becomes worse, or is a week old, is a new message', async () => {
    const { taken } = await channel('telegram');
    const sent = `POST /bot${TOKEN}/sendMessage`;
    await tell({ ...PROBLEM, severity: 'warning' }, [200, taken]);
    await tell(PROBLEM, [200, taken]);
    clock.set(AT + 7 * DAY);
    await tell(PROBLEM, [200, taken]);
    expect(requests()).toEqual([sent, sent, sent]);
    // Its end is shown in the last of them, however late.
    clock.set(AT + 30 * DAY);
    await tell(OVER, [200, taken]);
    expect(requests()[3]).toBe(`POST /bot${TOKEN}/editMessageText`);
  });

  it('an unchanged message of Telegram counts as updated', async () => {
    const { taken } = await channel('telegram');
    await tell(PROBLEM, [200, taken]);
    await tell(PROBLEM, [
      400,
      '{"ok":false,"description":"Bad Request: message is not modified: specified new…"}',
    ]);
    expect(statuses()).toEqual(['delivered', 'delivered']);
  });

  it('the end of a problem makes no sound in ntfy', async () => {
    const { taken } = await channel('ntfy');
    await tell(PROBLEM, [200, taken]);
    expect(lastBody()).toMatchObject({ priority: 5, sequence_id: 'backup-stale-7' });
    await tell(OVER, [200, taken]);
    expect(lastBody()).toMatchObject({ priority: 2, sequence_id: 'backup-stale-7' });
  });

  it('a channel that was edited does not update messages of before', async () => {
    const { taken } = await channel('telegram');
    await tell(PROBLEM, [200, taken]);
    await service.manageChannels.edit(service.operator, 'chat', { values: { chat: '-100999' } });
    await tell(PROBLEM, [200, taken]);
    expect(requests()[1]).toBe(requests()[0]);
  });

  it('an incoming webhook of Slack sends each event as a message', async () => {
    const url = `http://127.0.0.1:${await receiver.listen()}/services/T0/B0/x`;
    const request = { name: 'chat', kind: 'slack', values: { url }, allowPrivate: true };
    await service.manageChannels.add(service.operator, request);
    await tell(PROBLEM, [200, 'ok']);
    await tell(OVER, [200, 'ok']);
    expect(requests()).toEqual(['POST /services/T0/B0/x', 'POST /services/T0/B0/x']);
  });

  it('what a digest resolved is a new message the next time', async () => {
    const { taken } = await channel('telegram');
    await tell(PROBLEM, [200, taken]);
    await service.alertChannels.change(
      1,
      { timing: { ...AT_ONCE, digest: { every: 'hour' } } },
      AT,
      noRecord,
    );
    await tell(OVER);
    await tell({ type: 'disk.filling', severity: 'warning' });
    expect(kept.count('channel_messages')).toBe(1);
    receiver.behave.push(answers(200, {}, taken));
    await clock.advance(HOUR);
    await service.look();
    expect(requests()).toHaveLength(2);
    expect(kept.count('channel_messages')).toBe(0);
  });

  it('a job that fails and then succeeds is one problem', async () => {
    const { jobEvent } = await import('../../../src/application/jobs/job-event.ts');
    const job = {
      id: 1,
      jobType: 'backup',
      serverId: 7,
      serverName: 'web-1',
      error: null,
      summary: null,
    } as never;
    const problem = (status: string) => jobEvent({ ...(job as object), status } as never, AT).problem;
    expect([problem('failed'), problem('success'), problem('running')]).toEqual([
      'job.failed:7:backup',
      'job.failed:7:backup',
      null,
    ]);
  });
});
