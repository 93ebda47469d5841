import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { privateKeyToAccount } from 'viem/accounts';
import { bytesToHex, hexToBytes } from 'viem/utils';
import { createEvmKey } from './create-evm-key.js';

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
/** The secret is above zero and below the order, which begins with 0xff. */
const secret = bytes(31).map((tail) => Uint8Array.of(1, ...tail));
const ORDER = '0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141';

describe('createEvmKey', () => {
  it("createEvmKey: has the address and makes the signatures of viem's account", async () => {
    await fc.assert(
      fc.asyncProperty(secret, bytes(32), fc.nat(), async (key, digest, nonce) => {
        const [ours, viems] = [createEvmKey(key), privateKeyToAccount(bytesToHex(key))];
        const hash = bytesToHex(digest);
        const transaction = {
          type: 'eip1559',
          chainId: 31_337,
          to: viems.address,
          data: hash,
          nonce,
          gas: 21_000n,
          maxFeePerGas: 2n,
          maxPriorityFeePerGas: 1n,
        } as const;
        expect(ours.address).toBe(viems.address);
        expect(await ours.sign({ hash })).toBe(await viems.sign({ hash }));
        expect(await ours.signMessage({ message: { raw: hash } })).toBe(
          await viems.signMessage({ message: { raw: hash } }),
        );
        expect(await ours.signTransaction(transaction)).toBe(await viems.signTransaction(transaction));
      }),
      { numRuns: 50 },
    );
  });

  it.each([`0x${'00'.repeat(32)}`, ORDER, '0x01'] as const)('createEvmKey: refuses %s', (key) => {
    expect(() => createEvmKey(hexToBytes(key))).toThrow(RangeError);
  });
});
