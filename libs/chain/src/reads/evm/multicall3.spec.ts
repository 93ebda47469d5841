import { describe, expect, it } from '@jest/globals';
import type { EvmAddress } from '@app/dto';
import * as fc from 'fast-check';
import { decodeFunctionData, encodeFunctionData, encodeFunctionResult, type Hex, multicall3Abi } from 'viem';
import { decodeAggregate3, encodeAggregate3 } from './multicall3.js';
import { RpcNodeError } from '../../node/rpc-node-error.js';

const bytes = fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array).toString('hex'));
const address = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((array): EvmAddress => `0x${Buffer.from(array).toString('hex')}`);
const calls = fc.array(fc.record({ to: address, data: bytes }), { maxLength: 40 });
const results = fc.array(fc.record({ success: fc.boolean(), data: bytes }), { maxLength: 40 });

const encodedByViem = (list: readonly { success: boolean; data: string }[]): Hex =>
  encodeFunctionResult({
    abi: multicall3Abi,
    functionName: 'aggregate3',
    result: list.map(({ success, data }) => ({ success, returnData: `0x${data}` as const })),
  });

describe('encodeAggregate3', () => {
  it('encodeAggregate3: encodes the same calldata as viem', () => {
    fc.assert(
      fc.property(calls, (list) => {
        const args = list.map(({ to, data }) => ({
          target: to,
          allowFailure: true,
          callData: `0x${data}` as const,
        }));
        const expected = encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [args] });
        expect(`0x${encodeAggregate3(list)}`).toBe(expected);
      }),
    );
  });

  it('encodeAggregate3: produces calldata that viem decodes', () => {
    const to = '0x00000000000000000000000000000000000000aa';
    const data: Hex = `0x${encodeAggregate3([{ to, data: 'c0ffee' }])}`;
    expect(decodeFunctionData({ abi: multicall3Abi, data }).args).toEqual([
      [{ target: to.replace('aa', 'AA'), allowFailure: true, callData: '0xc0ffee' }],
    ]);
  });
});

describe('decodeAggregate3', () => {
  it('decodeAggregate3: decodes what viem encodes', () => {
    fc.assert(
      fc.property(results, (list) => {
        expect(decodeAggregate3(encodedByViem(list).slice(2), list.length)).toEqual(list);
      }),
    );
  });

  it('decodeAggregate3: rejects another count and truncated data', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ success: fc.boolean(), data: bytes }), { minLength: 1, maxLength: 5 }),
        fc.nat(),
        (list, cut) => {
          const whole = encodedByViem(list).slice(2);
          const last = list.at(-1)?.data.length ?? 0;
          const padding = (64 - (last % 64)) % 64;
          const cutAt = cut % (whole.length - padding);
          expect(() => decodeAggregate3(whole, list.length + 1)).toThrow(RpcNodeError);
          expect(() => decodeAggregate3(whole.slice(0, cutAt), list.length)).toThrow(RpcNodeError);
        },
      ),
    );
  });

  it('decodeAggregate3: throws nothing but RpcNodeError on arbitrary words', () => {
    const words = fc.array(fc.oneof(fc.nat(2_000), fc.bigInt(0n, 2n ** 256n - 1n)), { maxLength: 40 });
    fc.assert(
      fc.property(words, fc.nat(5), (list, count) => {
        const returnData = list.map((word) => word.toString(16).padStart(64, '0')).join('');
        try {
          expect(decodeAggregate3(returnData, count)).toHaveLength(count);
        } catch (error) {
          expect(error).toBeInstanceOf(RpcNodeError);
        }
      }),
    );
  });
});
