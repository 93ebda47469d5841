import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseEthereumCredential } from './ethereum-credential.js';

const encode = (text: string): string => Buffer.from(text, 'latin1').toString('base64url');
const message = fc.string({ minLength: 1, unit: 'binary-ascii' });
const signature = fc.uint8Array({ maxLength: 200 }).map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`);

describe('parseEthereumCredential', () => {
  it('parseEthereumCredential: reads message and signature', () => {
    fc.assert(
      fc.property(message, signature, (text, signatureText) => {
        expect(parseEthereumCredential(`${encode(text)}.${signatureText}`)).toEqual({
          text,
          signature: signatureText,
        });
      }),
    );
  });

  it('parseEthereumCredential: rejects non-canonical base64url', () => {
    // The last letter of two encoded bytes has two unused bits.
    expect(parseEthereumCredential('YWI.0x00')).toEqual({ text: 'ab', signature: '0x00' });
    for (const spelling of ['YWJ', 'YWI=', 'YWI ', ' YWI', 'YW\nI', 'YWI%3D'])
      expect(parseEthereumCredential(`${spelling}.0x00`)).toBeUndefined();
  });

  it.each(['', '.', 'YWI', 'YWI.', 'YWI.0x0', 'YWI.00', 'YWI.0xzz', '.0x00', 'YWI.0x00.0x00', 'YWI.0X00'])(
    'parseEthereumCredential: rejects %p',
    (text) => {
      expect(parseEthereumCredential(text)).toBeUndefined();
    },
  );

  it('parseEthereumCredential: rejects more than 8 KiB', () => {
    const createCredential = (length: number) => `YWI.0x${'0'.repeat(length - 6)}`;
    expect(parseEthereumCredential(createCredential(8_192))).toBeDefined();
    expect(parseEthereumCredential(createCredential(8_194))).toBeUndefined();
  });
});
