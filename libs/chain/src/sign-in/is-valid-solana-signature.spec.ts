import { createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import base58 from 'bs58';
import * as fc from 'fast-check';
import { isValidSolanaSignature } from './is-valid-solana-signature.js';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const keyBytes = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
const address = base58.encode(keyBytes);
const message = 'Sign in to Gatehouse – “hier”';
const bytes = sign(null, Buffer.from(message), privateKey);
const signature = base58.encode(bytes);
const hex = `0x${bytes.toString('hex')}`;

const ORDER = (1n << 252n) + 27742317777372353535851937790883648493n;
const P = (1n << 255n) - 19n;

const little = (value: bigint): Buffer => Buffer.from(value.toString(16).padStart(64, '0'), 'hex').reverse();

describe('isValidSolanaSignature', () => {
  it.each([
    ['base58', signature],
    ['base64', bytes.toString('base64')],
    ['hex', hex],
    ['hex in capitals', `0x${bytes.toString('hex').toUpperCase()}`],
  ])('isValidSolanaSignature: accepts a signature in %s', (_, text) => {
    expect(isValidSolanaSignature({ message, address, signature: text })).toBe(true);
  });

  it('isValidSolanaSignature: detects the encoding of any signature', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const own = sign(null, Buffer.from(text), privateKey);
        for (const form of [base58.encode(own), own.toString('base64'), `0x${own.toString('hex')}`])
          expect(isValidSolanaSignature({ message: text, address, signature: form })).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  it('isValidSolanaSignature: rejects a changed message, account or signature', () => {
    const other = generateKeyPairSync('ed25519').publicKey.export({ format: 'der', type: 'spki' });
    const otherAddress = base58.encode(other.subarray(-32));
    expect(isValidSolanaSignature({ message: `${message} `, address, signature })).toBe(false);
    expect(isValidSolanaSignature({ message, address: otherAddress, signature })).toBe(false);
    for (const at of [0, 31, 32, 63]) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      expect(isValidSolanaSignature({ message, address, signature: base58.encode(changed) })).toBe(false);
    }
  });

  it('isValidSolanaSignature: rejects s above the order, the malleable form', () => {
    const s = BigInt(`0x${Buffer.from(bytes.subarray(32)).reverse().toString('hex')}`);
    const malleable = Buffer.concat([bytes.subarray(0, 32), little(s + ORDER)]);
    expect(isValidSolanaSignature({ message, address, signature: base58.encode(malleable) })).toBe(false);
  });

  it.each([
    ['63 bytes', base58.encode(bytes.subarray(0, 63))],
    ['65 bytes', base58.encode(Buffer.concat([bytes, Buffer.of(1)]))],
    ['base64 without padding', bytes.toString('base64').slice(0, -2)],
    ['base64 with stray bits', `${bytes.toString('base64').slice(0, -3)}~==`],
    ['base64url', `${bytes.toString('base64url')}==`.replace(/^../, '_-')],
    ['hex without 0x', bytes.toString('hex')],
    ['hex with a digit more', `${hex}0`],
    ['spaces', ` ${signature}`],
    ['a line break', `${signature}\n`],
    ['an empty text', ''],
    ['a very long text', '1'.repeat(100_000)],
  ])('isValidSolanaSignature: rejects a signature as %s', (_, text) => {
    expect(isValidSolanaSignature({ message, address, signature: text })).toBe(false);
  });

  it('isValidSolanaSignature: rejects base64 with non-zero bits after the last byte', () => {
    const text = bytes.toString('base64');
    const last = text.charAt(85);
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
    const stray = alphabet.charAt(alphabet.indexOf(last) + 1);
    const nonCanonical = `${text.slice(0, 85)}${stray}==`;
    expect(Buffer.from(nonCanonical, 'base64').equals(bytes)).toBe(true);
    expect(isValidSolanaSignature({ message, address, signature: nonCanonical })).toBe(false);
  });

  it.each([
    ['another alphabet', '0OIl'.repeat(10)],
    ['31 bytes', base58.encode(keyBytes.subarray(1))],
    ['33 bytes', base58.encode(Buffer.concat([Buffer.of(1), keyBytes]))],
    ['an EVM address', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'],
    ['a value that is no point of the curve', base58.encode(little(2n))],
    ['an empty text', ''],
  ])('isValidSolanaSignature: rejects %s as an address', (_, other) => {
    expect(isValidSolanaSignature({ message, address: other, signature })).toBe(false);
  });
});

describe('a public key of small order', () => {
  /** R = the neutral element, s = 0: valid wherever the key's multiple for the message is neutral. */
  const forged = Buffer.concat([little(1n), Buffer.alloc(32)]);
  const spki = Buffer.from('302a300506032b6570032100', 'hex');
  const texts = Array.from({ length: 64 }, (_, at) => `text ${at}`);

  it.each([
    ['the system program, all zeros', little(0n)],
    ['the neutral element', little(1n)],
    ['the point of order 2', little(P - 1n)],
    ['zero, written as p', little(P)],
    ['the neutral element, written as p + 1', little(P + 1n)],
    ['zero with the other sign', little(1n << 255n)],
    [
      'a point of order 8',
      Buffer.from('26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05', 'hex'),
    ],
    [
      'the other point of order 8',
      Buffer.from('c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a', 'hex'),
    ],
  ])('is rejected: %s', (_, key) => {
    const unchecked = createPublicKey({ key: Buffer.concat([spki, key]), format: 'der', type: 'spki' });
    const accepted = texts.filter((each) => verify(null, Buffer.from(each), unchecked, forged));
    expect(accepted.length).toBeGreaterThan(0);
    for (const text of accepted) {
      const claim = { message: text, address: base58.encode(key), signature: base58.encode(forged) };
      expect(isValidSolanaSignature(claim)).toBe(false);
    }
  });
});
