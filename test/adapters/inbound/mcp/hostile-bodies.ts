import * as fc from 'fast-check';

/** Keys and texts that have broken parsers, stores and prototypes before. */
const nasty = fc.constantFrom(
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '\u0000',
  '\ud800',
  '\udfff\ud800',
  '\u2028',
  '\ufeff',
  "'; DROP TABLE servers; --",
  '$(touch x)',
  '../../etc/passwd',
  '%00',
  'a'.repeat(10_000),
);
const numbers = fc.constantFrom(
  0,
  -0,
  -1,
  1.5,
  1e308,
  2 ** 53,
  -(2 ** 63),
  Number.MAX_VALUE,
  Number.MIN_VALUE,
);
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: 'medium' },
    nasty,
    numbers,
    fc.constant(null),
    fc.boolean(),
    fc.string({ unit: 'binary' }),
    fc.array(tie('any'), { maxLength: 4 }),
    fc
      .array(fc.tuple(fc.oneof(nasty, fc.string()), tie('any')), { maxLength: 4 })
      .map((entries) => Object.fromEntries(entries)),
  ),
})).any;

const TOOLS = [
  'health',
  'list_servers',
  'get_server',
  'inventory',
  'services',
  'list_jobs',
  'get_job',
  'trigger_job',
  'set_features',
];
const FIELDS = [
  'server_id',
  'job_id',
  'q',
  'limit',
  'offset',
  'state',
  'job_type',
  'source_filter',
  'os_steps',
  'dry_run',
  'backup',
  'detail',
];
/** Arguments of a tool, or something in their place. */
export const args = fc.oneof(
  value,
  fc.dictionary(fc.oneof(fc.constantFrom(...FIELDS), nasty), value, { maxKeys: 5 }),
);

const message = fc.oneof(
  value,
  fc.record(
    {
      jsonrpc: fc.oneof({ weight: 9, arbitrary: fc.constant('2.0') }, { weight: 1, arbitrary: value }),
      id: fc.oneof(fc.integer(), fc.string({ unit: 'binary' }), value),
      method: fc.oneof(
        fc.constantFrom('tools/call', 'tools/list', 'initialize', 'ping', 'server/discover'),
        value,
      ),
      params: fc.oneof(
        value,
        fc.record(
          {
            name: fc.oneof(
              { weight: 4, arbitrary: fc.constantFrom(...TOOLS) },
              { weight: 1, arbitrary: value },
            ),
            arguments: args,
            protocolVersion: value,
            cursor: value,
            _meta: fc.oneof(
              value,
              fc.record({
                'io.modelcontextprotocol/protocolVersion': fc.oneof(fc.constant('2026-07-28'), value),
                'io.modelcontextprotocol/clientCapabilities': fc.oneof(fc.constant({}), value),
              }),
            ),
          },
          { requiredKeys: [] },
        ),
      ),
    },
    { requiredKeys: [] },
  ),
);

/** JSON: unchanged, cut off, with a duplicate member, or far too deep. */
export const body = fc
  .tuple(message, fc.constantFrom('as it is', 'as it is', 'cut', 'twice', 'deep', 'raw'), fc.nat(2_000))
  .map(([json, how, size]) => {
    const written = JSON.stringify(json);
    if (how === 'cut') return written.slice(0, size % (written.length + 1));
    if (how === 'twice') return written.replace('{', '{"id":1,"id":2,');
    if (how === 'deep') return `${'{"a":['.repeat(size)}${written}${']}'.repeat(size)}`;
    return how === 'raw' ? written.replaceAll('"', '') : written;
  });

/** What still has to work afterwards. */
export const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
export const PONG = '{"jsonrpc":"2.0","id":1,"result":{}}';
