import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { isValidEd25519Signature } from '@app/chain/sign-in';
import base58 from 'bs58';
import fc from 'fast-check';
import { signSolanaMessage, toSolanaAddress, toSolanaKey } from './solana-keys.js';

const key = toSolanaKey(randomBytes(32));

describe('signSolanaMessage', () => {
  it('signSolanaMessage: signs any message', async () => {
    const address = toSolanaAddress(key);
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 1_232 }), async (message) => {
        const signature = await signSolanaMessage(key, { message, address });
        expect(isValidEd25519Signature({ message, key: base58.decode(address), signature })).toBe(true);
      }),
    );
  });

  it('signSolanaMessage: returns no signature that is not one of the address', async () => {
    const address = toSolanaAddress(toSolanaKey(randomBytes(32)));
    await expect(signSolanaMessage(key, { message: randomBytes(100), address })).rejects.toThrow(
      `the signature is not one of ${address}`,
    );
  });
});
