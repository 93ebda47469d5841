import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { RpcNodeError } from '../../node/rpc-node-error.js';
import {
  CONSECUTIVE_TRANSFER_TOPIC,
  parseReceivedIds,
  parseReceivedRanges,
  TRANSFER_TOPIC,
} from './parse-received-ids.js';

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
  it('parseReceivedIds: returns each id of any size once', () => {
    fc.assert(
      fc.property(fc.array(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })), (ids) => {
        const result = [...ids, ...ids].map((id) => transfer(receiver, id));
        expect(new Set(parseReceivedIds(result, query))).toEqual(new Set(ids));
        expect(parseReceivedIds(result, query)).toHaveLength(new Set(ids).size);
      }),
    );
  });

  it('parseReceivedIds: ignores logs that were not asked for', () => {
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
  ])('parseReceivedIds: rejects %j', (result) => {
    expect(() => parseReceivedIds(result, query)).toThrow(RpcNodeError);
  });
});

const batch = (to: string, first: bigint, last: bigint, more: object = {}) => ({
  address: contract,
  topics: [CONSECUTIVE_TRANSFER_TOPIC, toTopic(first), toTopic(0n), toTopic(to)],
  data: toTopic(last),
  ...more,
});

describe('parseReceivedRanges', () => {
  it('parseReceivedRanges: returns every id of small ranges once, in ascending order', () => {
    const small = fc.record({
      first: fc.bigInt({ min: 0n, max: 50n }),
      size: fc.bigInt({ min: -2n, max: 9n }),
    });
    fc.assert(
      fc.property(fc.array(small), (ranges) => {
        const result = ranges.map(({ first, size }) =>
          batch(receiver, first, first + size < 0n ? 0n : first + size),
        );
        const expected = new Set<bigint>();
        for (const { data, topics } of result)
          for (let id = BigInt(topics[1] ?? '0x'); id <= BigInt(data); id += 1n) expected.add(id);
        const listed = parseReceivedRanges(result, query).flatMap(({ first, last }) =>
          Array.from({ length: Number(last - first) + 1 }, (_, index) => first + BigInt(index)),
        );
        expect(listed).toEqual([...expected].sort((a, b) => Number(a - b)));
      }),
    );
  });

  it('parseReceivedRanges: keeps a range of all ids as its two ends', () => {
    const last = 2n ** 256n - 1n;
    const result = [batch(receiver, 7n, 9n), batch(receiver, 0n, last), batch(receiver, last, last)];
    expect(parseReceivedRanges(result, query)).toEqual([{ first: 0n, last }]);
  });

  it('parseReceivedRanges: ignores logs that were not asked for, and data that is no id', () => {
    const result = [
      batch(stranger, 1n, 2n),
      batch(receiver, 1n, 2n, { address: stranger }),
      batch(receiver, 1n, 2n, { data: '0x' }),
      batch(receiver, 1n, 2n, { data: undefined }),
      batch(receiver, 1n, 2n, { data: `${toTopic(2n)}00` }),
      batch(receiver, 1n, 2n, { topics: [CONSECUTIVE_TRANSFER_TOPIC, toTopic(1n), toTopic(0n)] }),
      batch(receiver, 2n, 1n),
      transfer(receiver, 3n),
    ];
    expect(parseReceivedRanges(result, query)).toEqual([]);
    expect(parseReceivedIds([batch(receiver, 1n, 2n)], query)).toEqual([]);
  });
});
