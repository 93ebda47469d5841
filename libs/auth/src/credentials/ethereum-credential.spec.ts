import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseEthereumCredential } from './ethereum-credential.js';

const encode = (text: string): string => Buffer.from(text, 'latin1').toString('base64url');
const message = fc.string({ minLength: 1, unit: 'binary-ascii' });
const signature = fc
  .uint8Array({ minLength: 1, maxLength: 200 })
  .map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`);

describe('the text of an Ethereum credential', () => {
  it('is message and signature', () => {
    fc.assert(
      fc.property(message, signature, (text, signed) => {
        expect(parseEthereumCredential(`${encode(text)}.${signed}`)).toEqual({ text, signature: signed });
      }),
    );
  });

  it('has one spelling of its message', () => {
    // Of two bytes the last letter holds two bits that mean nothing.
    expect(parseEthereumCredential('YWI.0x00')).toEqual({ text: 'ab', signature: '0x00' });
    for (const spelling of ['YWJ', 'YWI=', 'YWI ', ' YWI', 'YW\nI', 'YWI%3D'])
      expect(parseEthereumCredential(`${spelling}.0x00`)).toBeUndefined();
  });

  it.each([
    '',
    '.',
    'YWI',
    'YWI.',
    'YWI.0x',
    'YWI.0x0',
    'YWI.00',
    'YWI.0xzz',
    '.0x00',
    'YWI.0x00.0x00',
    'YWI.0X00',
  ])('is not %p', (text) => {
    expect(parseEthereumCredential(text)).toBeUndefined();
  });

  it('is 8 KiB long at most', () => {
    const of = (length: number) => `YWI.0x${'0'.repeat(length - 6)}`;
    expect(parseEthereumCredential(of(8_192))).toBeDefined();
    expect(parseEthereumCredential(of(8_194))).toBeUndefined();
  });
});
