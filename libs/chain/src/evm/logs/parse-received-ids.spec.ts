import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { RpcNodeError } from '../../shared/rpc-node-error.js';
import { parseReceivedIds, TRANSFER_TOPIC } from './parse-received-ids.js';

const contract = `0x${'c0'.repeat(20)}`;
const receiver = `0x${'a1'.repeat(20)}`;
const stranger = `0x${'b2'.repeat(20)}`;
const query = { contract, receivers: [receiver] };
const toTopic = (value: bigint | string): string =>
  `0x${(typeof value === 'string' ? value.slice(2) : value.toString(16)).padStart(64, '0')}`;
const transfer = (to: string, id: bigint, more: object = {}) => ({
  address: contract,
  topics: [TRANSFER_TOPIC, toTopic(stranger), toTopic(to), toTopic(id)],
  data: '0x',
  ...more,
});

describe('parseReceivedIds', () => {
  it('returns each id of any size once', () => {
    fc.assert(
      fc.property(fc.array(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })), (ids) => {
        const result = [...ids, ...ids].map((id) => transfer(receiver, id));
        expect(new Set(parseReceivedIds(result, query))).toEqual(new Set(ids));
        expect(parseReceivedIds(result, query)).toHaveLength(new Set(ids).size);
      }),
    );
  });

  it('ignores logs that were not asked for', () => {
    const result = [
      transfer(stranger, 1n),
      transfer(receiver, 2n, { address: stranger }),
      transfer(receiver, 3n, { topics: [TRANSFER_TOPIC, toTopic(stranger), toTopic(receiver)] }),
      transfer(receiver, 4n, { topics: [toTopic(1n), toTopic(stranger), toTopic(receiver), toTopic(4n)] }),
    ];
    expect(parseReceivedIds(result, query)).toEqual([]);
  });

  it.each([
    null,
    '0x',
    {},
    [null],
    [transfer(receiver, 1n, { topics: ['0x1'] })],
    [transfer(receiver, 1n, { topics: Array(5).fill(toTopic(1n)) })],
  ])('rejects %j', (result) => {
    expect(() => parseReceivedIds(result, query)).toThrow(RpcNodeError);
  });
});
