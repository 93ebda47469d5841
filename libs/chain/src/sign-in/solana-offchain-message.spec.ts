import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import base58 from 'bs58';
import fc from 'fast-check';
import { isValidSolanaSignature } from './is-valid-solana-signature.js';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const key = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
const address = base58.encode(key);
const TEXT = 'shop.example wants you to sign in with your Solana account:\n\nNonce: abc';

const hex = (...parts: (string | Uint8Array)[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'hex') : part)));
const utf8 = (text: string): Buffer => Buffer.from(text);
const length = (text: string): string => {
  const bytes = Buffer.byteLength(text);
  return Buffer.of(bytes & 0xff, bytes >> 8).toString('hex');
};

/** `0xff "solana offchain"`, spelled out. */
const DOMAIN = 'ff736f6c616e61206f6666636861696e';
const ZEROS = '00'.repeat(32);

/** The header of the released CLI. */
const short = (text: string, format: string) => hex(DOMAIN, '00', format, length(text), utf8(text));
/** The header with an application domain and one signer. */
const long = (text: string, format: string, domain: string | Uint8Array = ZEROS) =>
  hex(DOMAIN, '00', domain, format, '01', key, length(text), utf8(text));

const isAccepted = (signed: Uint8Array, message = TEXT): boolean =>
  isValidSolanaSignature({ message, address, signature: base58.encode(sign(null, signed, privateKey)) });

/** The envelope of the specification: count, signature, signed bytes. */
const envelope = (signed: Uint8Array): Buffer => hex('01', sign(null, signed, privateKey), signed);
const isEnvelopeAccepted = (bytes: Uint8Array, message = TEXT): boolean => {
  const signature = Buffer.from(bytes).toString('base64');
  const accepted = isValidSolanaSignature({ message, address, signature });
  const asHex = `0x${Buffer.from(bytes).toString('hex')}`;
  expect(isValidSolanaSignature({ message, address, signature: asHex })).toBe(accepted);
  return accepted;
};

describe('isValidSolanaSignature of off-chain messages', () => {
  it.each([
    ['the short header, format 0', short(TEXT, '00')],
    ['the short header, format 1', short(TEXT, '01')],
    ['an application domain of zeros, format 0', long(TEXT, '00')],
    ['an application domain of zeros, format 1', long(TEXT, '01')],
  ])('isValidSolanaSignature: accepts the text in the envelope with %s', (_, signed) => {
    expect(isAccepted(signed)).toBe(true);
  });

  it.each([
    ['another version', hex(DOMAIN, '01', '00', length(TEXT), utf8(TEXT))],
    ['format 2', short(TEXT, '02')],
    ['another signing domain', hex(DOMAIN.replace('ff', 'fe'), '00', '00', length(TEXT), utf8(TEXT))],
    ['a length in big-endian', hex(DOMAIN, '00', '00', `00${length(TEXT).slice(0, 2)}`, utf8(TEXT))],
    ['a longer text', short(`${TEXT}\n`, '00')],
    ['a byte after the text', hex(short(TEXT, '00'), '0a')],
    ['a byte before the envelope', hex('01', short(TEXT, '00'))],
    ['two signers', hex(DOMAIN, '00', ZEROS, '00', '02', key, key, length(TEXT), utf8(TEXT))],
    ['another signer', hex(DOMAIN, '00', ZEROS, '00', '01', ZEROS, length(TEXT), utf8(TEXT))],
    ['an envelope in an envelope', hex(DOMAIN, '00', '01', '0000', short(TEXT, '00'))],
    ['an unknown application domain', long(TEXT, '00', '07'.repeat(32))],
  ])('isValidSolanaSignature: refuses %s', (_, signed) => {
    expect(isAccepted(signed)).toBe(false);
  });

  it('isValidSolanaSignature: refuses format 0 for a text that is not ASCII', () => {
    expect(isAccepted(short('“hier”', '00'), '“hier”')).toBe(false);
    expect(isAccepted(short('“hier”', '01'), '“hier”')).toBe(true);
  });

  it('isValidSolanaSignature: reads any application domain from a sent envelope', () => {
    const domain = fc.uint8Array({ minLength: 32, maxLength: 32 });
    const text = fc.string({ minLength: 1, maxLength: 300, unit: 'grapheme' });
    fc.assert(
      fc.property(domain, text, fc.constantFrom('00', '01'), (application, message, format) => {
        const isAllowed = format === '01' || /^[\n\x20-\x7e]*$/.test(message);
        expect(isEnvelopeAccepted(envelope(long(message, format, application)), message)).toBe(isAllowed);
      }),
      { numRuns: 50 },
    );
  });

  it('isValidSolanaSignature: reads a sent envelope with the short header', () => {
    const text = fc.string({ minLength: 1, maxLength: 300, unit: 'grapheme' });
    fc.assert(
      fc.property(text, fc.constantFrom('00', '01'), (message, format) => {
        const isAllowed = format === '01' || /^[\n\x20-\x7e]*$/.test(message);
        expect(isEnvelopeAccepted(envelope(short(message, format)), message)).toBe(isAllowed);
        expect(isEnvelopeAccepted(envelope(short(`${message}x`, format)), message)).toBe(false);
      }),
      { numRuns: 50 },
    );
  });

  it('isValidSolanaSignature: refuses a sent envelope that was changed, cut or extended in any byte', () => {
    const sent = envelope(long(TEXT, '00', '07'.repeat(32)));
    expect(isEnvelopeAccepted(sent)).toBe(true);
    fc.assert(
      fc.property(fc.nat(sent.length - 1), fc.integer({ min: 1, max: 255 }), (at, difference) => {
        const changed = Buffer.from(sent);
        changed.writeUInt8(changed.readUInt8(at) ^ difference, at);
        expect(isEnvelopeAccepted(changed)).toBe(false);
        expect(isEnvelopeAccepted(sent.subarray(0, at))).toBe(false);
        expect(isEnvelopeAccepted(hex(sent, Buffer.of(difference)))).toBe(false);
      }),
      { numRuns: 200 },
    );
  });

  it('isValidSolanaSignature: refuses a sent envelope of another text, key or number of signatures', () => {
    const other = generateKeyPairSync('ed25519');
    const signed = long(TEXT, '00');
    expect(isEnvelopeAccepted(envelope(long(`${TEXT}x`, '00')))).toBe(false);
    expect(isEnvelopeAccepted(hex('01', sign(null, signed, other.privateKey), signed))).toBe(false);
    expect(isEnvelopeAccepted(hex('02', ZEROS, ZEROS, sign(null, signed, privateKey), signed))).toBe(false);
  });

  it('isValidSolanaSignature: answers for any bytes that a client sends', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
        expect(isEnvelopeAccepted(bytes)).toBe(false);
      }),
    );
  });
});
