import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { bytesToHex, getAddress } from 'viem/utils';
import { decodeExecute, encodeExecute } from './encode-execute.js';

const bytes = (length: number, minLength = length) =>
  fc.uint8Array({ minLength, maxLength: length }).map((array) => bytesToHex(array));
const call = fc.record({
  target: bytes(20).map((address) => getAddress(address)),
  value: fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
  data: bytes(100, 0),
});

describe('decodeExecute', () => {
  it('decodeExecute: decodes what was encoded, for both versions', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('0.7' as const, '0.8' as const),
        fc.array(call, { minLength: 1, maxLength: 32 }),
        (version, calls) => {
          expect(decodeExecute(version, encodeExecute(version, calls))).toEqual(calls);
        },
      ),
    );
  });
});
