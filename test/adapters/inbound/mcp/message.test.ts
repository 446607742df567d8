import { isJSONRPCNotification, isJSONRPCRequest } from '@modelcontextprotocol/sdk/types.js';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readMessage } from '../../../../src/adapters/inbound/mcp/message.ts';

/** Values that look like messages, right and wrong in each member. */
const almostMessage = fc.record(
  {
    jsonrpc: fc.constantFrom('2.0', '1.0', 2),
    id: fc.oneof(fc.integer(), fc.string(), fc.double(), fc.constant(null), fc.jsonValue()),
    method: fc.oneof(fc.string(), fc.jsonValue()),
    params: fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue()),
    result: fc.jsonValue(),
  },
  { requiredKeys: ['jsonrpc'] },
);

describe('messages', () => {
  it('that the SDK takes for requests or notifications are that here too', () => {
    fc.assert(
      fc.property(fc.oneof(almostMessage, fc.jsonValue()), (value) => {
        const { kind } = readMessage(value);
        if (isJSONRPCRequest(value)) expect(kind).toBe('request');
        if (isJSONRPCNotification(value)) expect(kind).toBe('notification');
      }),
      { numRuns: 2_000 },
    );
  });

  it('that are taken for requests here are that to the SDK, but for members that it does not know', () => {
    fc.assert(
      fc.property(almostMessage, ({ result: _result, ...value }) => {
        const message = readMessage(value);
        if (message.kind === 'request') expect(isJSONRPCRequest(value)).toBe(true);
        if (message.kind === 'notification') expect(isJSONRPCNotification(value)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });
});
