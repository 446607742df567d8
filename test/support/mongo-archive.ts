/** mongodump's output, from its sources (mongo-tools, common/archive): one collection with documents, and its end. */
const MAGIC = Buffer.from('6de29981', 'hex');
export const TERMINATOR = Buffer.from('ffffffff', 'hex');

type Value = string | boolean | number | bigint;

function field(name: string, value: Value): Buffer {
  const key = Buffer.from(`${name}\0`);
  if (typeof value === 'boolean') return Buffer.concat([Buffer.of(8), key, Buffer.of(value ? 1 : 0)]);
  if (typeof value === 'bigint') {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64LE(value);
    return Buffer.concat([Buffer.of(18), key, bytes]);
  }
  const bytes = Buffer.alloc(4);
  if (typeof value === 'number') {
    bytes.writeInt32LE(value);
    return Buffer.concat([Buffer.of(16), key, bytes]);
  }
  const text = Buffer.from(`${value}\0`);
  bytes.writeInt32LE(text.length);
  return Buffer.concat([Buffer.of(2), key, bytes, text]);
}

export function bson(fields: Readonly<Record<string, Value>>): Buffer {
  const body = Buffer.concat(Object.entries(fields).map(([name, value]) => field(name, value)));
  const size = Buffer.alloc(4);
  size.writeInt32LE(body.length + 5);
  return Buffer.concat([size, body, Buffer.of(0)]);
}

export const segment = (collection: string, end: boolean, documents: readonly Buffer[] = []): Buffer =>
  Buffer.concat([
    bson({ db: 'shop', collection, EOF: end, CRC: end ? 123456789n : 0n }),
    ...documents,
    TERMINATOR,
  ]);

export const prelude = Buffer.concat([
  MAGIC,
  bson({ concurrent_collections: 4, version: '0.1', server_version: '6.0.9', tool_version: '100.8.0' }),
  bson({ db: 'shop', collection: 'notes', metadata: '{"indexes":[]}', size: 2, type: 'collection' }),
  TERMINATOR,
]);

export const mongoArchive = (): Buffer =>
  Buffer.concat([
    prelude,
    segment('notes', false, [bson({ _id: 1, text: 'one' }), bson({ _id: 2, text: 'x'.repeat(5_000) })]),
    segment('notes', true),
  ]);
