import { createRequire } from 'node:module';
import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import secp256k1 from 'secp256k1';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { hashPersonalMessage } from './hash-personal-message.js';
import { recoverSigner } from './recover-signer.js';

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const account = privateKeyToAccount('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80');
const text = 'Sign in to Gatehouse – “hier”, and to nothing else.\n';
const signature = await account.signMessage({ message: text });

/** The JavaScript fallback of `secp256k1`. */
const elliptic = createRequire(import.meta.url)('secp256k1/elliptic.js') as typeof secp256k1;

const toHex = (value: bigint): string => value.toString(16).padStart(64, '0');
const r = signature.slice(2, 66);
const s = signature.slice(66, 130);
const v = signature.slice(130);
const toMalleable = (hex: string): bigint => ORDER - BigInt(`0x${hex}`);
const otherParity = v === '1b' ? '1c' : '1b';

describe('recoverSigner', () => {
  it('recoverSigner: recovers the address of a wallet', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme' }), async (message) => {
        const signer = privateKeyToAccount(generatePrivateKey());
        expect(recoverSigner(message, await signer.signMessage({ message }))).toBe(signer.address);
      }),
      { numRuns: 30 },
    );
  });

  it('recoverSigner: accepts v from 27 or from 0, and upper-case hex', () => {
    const short = `0x${r}${s}${v === '1b' ? '00' : '01'}`;
    expect(recoverSigner(text, short)).toBe(account.address);
    expect(recoverSigner(text, `0x${signature.slice(2).toUpperCase()}`)).toBe(account.address);
  });

  it('recoverSigner: recovers another address for another text or parity', () => {
    expect(recoverSigner(`${text} `, signature)).not.toBe(account.address);
    expect(recoverSigner(text, `0x${r}${s}${otherParity}`)).not.toBe(account.address);
  });

  it.each([
    ['s in the upper half', `0x${r}${toHex(toMalleable(s))}${otherParity}`],
    ['the first s of the upper half', `0x${r}${toHex((ORDER - 1n) / 2n + 1n)}${v}`],
    ['64 bytes (EIP-2098)', `0x${r}${s}`],
    ['66 bytes', `${signature}00`],
    ['65 and a half bytes', `${signature}0`],
    ['a recovery byte of 2', `0x${r}${s}02`],
    ['a recovery byte of 26', `0x${r}${s}1a`],
    ['a recovery byte of 29', `0x${r}${s}1d`],
    ['the recovery byte of EIP-155', `0x${r}${s}25`],
    ['r = 0', `0x${toHex(0n)}${s}${v}`],
    ['s = 0', `0x${r}${toHex(0n)}${v}`],
    ['r = the order', `0x${toHex(ORDER)}${s}${v}`],
    ['all bits set', `0x${'ff'.repeat(64)}1b`],
    ['all zeros', `0x${'00'.repeat(65)}`],
    ['no 0x', signature.slice(2)],
    ['0X', `0X${signature.slice(2)}`],
    ['spaces around it', ` ${signature}`],
    ['a line break after it', `${signature}\n`],
    ['an empty text', ''],
    ['0x', '0x'],
    ['no hex', `0x${'zz'.repeat(65)}`],
  ])('recoverSigner: returns undefined for %s', (_, other) => {
    expect(recoverSigner(text, other)).toBeUndefined();
  });

  it('recoverSigner: accepts the largest s of the lower half', () => {
    const largest = `0x${r}${toHex((ORDER - 1n) / 2n)}${v}`;
    expect(recoverSigner(text, largest)).toMatch(/^0x[0-9a-fA-F]{40}$/);
  });

  it('recoverSigner: never throws for 65 arbitrary bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 65, maxLength: 65 }), (bytes) => {
        const found = recoverSigner(text, `0x${Buffer.from(bytes).toString('hex')}`);
        expect(found ?? `0x${'0'.repeat(40)}`).toMatch(/^0x[0-9a-fA-F]{40}$/);
      }),
    );
  });

  it('recoverSigner: recovers the same address without the native library', () => {
    const bytes = Buffer.from(signature.slice(2), 'hex');
    const arguments_ = [bytes.subarray(0, 64), v === '1b' ? 0 : 1, hashPersonalMessage(text), false] as const;
    expect(elliptic.ecdsaRecover(...arguments_)).toEqual(secp256k1.ecdsaRecover(...arguments_));
  });
});
