import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { credentialForm } from './revoke-credential.controller.js';

const credential = fc
  .tuple(fc.string({ unit: 'grapheme-ascii', minLength: 1 }), fc.uint8Array({ minLength: 1, maxLength: 70 }))
  .map(([message, signature]) =>
    [Buffer.from(message).toString('base64url'), `0x${Buffer.from(signature).toString('hex')}`].join('.'),
  );
const prefixes = fc.constantFrom('', 'Ethereum ', 'Authorization: Ethereum ', 'authorization:\tETHEREUM\n');

describe('credentialForm', () => {
  it('credentialForm: removes line breaks, the header name and the scheme', () => {
    fc.assert(
      fc.property(credential, prefixes, fc.array(fc.nat(200)), (text, prefix, breaks) => {
        const broken = breaks.reduce((line, at) => `${line.slice(0, at)}\r\n ${line.slice(at)}`, text);
        expect(credentialForm.parse({ credential: `  ${prefix}${broken}\n` })).toEqual({ credential: text });
      }),
    );
  });

  it('credentialForm: refuses a text longer than any credential', () => {
    expect(credentialForm.safeParse({ credential: 'a'.repeat(16_385) }).success).toBe(false);
  });
});
