import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { encodeErrorResult, parseAbi } from 'viem';
import {
  encodeAddress,
  isMissingFunctionReason,
  isMissingFunctionRevert,
  toLowerCaseAddress,
} from './abi-codec.js';

const abi = parseAbi([
  'error Error(string)',
  'error FunctionNotFound(bytes4)',
  'error NonexistentToken(uint256)',
]);
const isMissing = (reason: string) =>
  isMissingFunctionRevert(encodeErrorResult({ abi, errorName: 'Error', args: [reason] }).slice(2));

describe('isMissingFunctionRevert', () => {
  it.each([
    'Diamond: Function does not exist',
    'Router: function not found',
    'unknown function',
    'Proxy: no such method',
    "function selector was not recognized and there's no fallback function",
  ])('isMissingFunctionRevert: "%s" says that there is no such function', (reason) => {
    expect([isMissing(reason), isMissingFunctionReason(`execution reverted: ${reason}`)]).toEqual([
      true,
      true,
    ]);
  });

  it.each([
    'ERC721: owner query for nonexistent token',
    'ERC721: invalid token ID',
    'OwnerQueryForNonexistentToken()',
    'token does not exist',
    'NOT_MINTED',
    '',
  ])('isMissingFunctionRevert: "%s" is about a token', (reason) => {
    expect([isMissing(reason), isMissingFunctionReason(`execution reverted: ${reason}`)]).toEqual([
      false,
      false,
    ]);
  });

  it('isMissingFunctionRevert: an error with a selector is about a function, one with a token id below 2^224 is not', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 2n ** 224n - 1n), fc.integer({ min: 1, max: 0xffffffff }), (id, selector) => {
        const args = [`0x${selector.toString(16).padStart(8, '0')}`] as const;
        const missing = encodeErrorResult({ abi, errorName: 'FunctionNotFound', args });
        const token = encodeErrorResult({ abi, errorName: 'NonexistentToken', args: [id] });
        expect([missing, token].map((data) => isMissingFunctionRevert(data.slice(2)))).toEqual([true, false]);
      }),
    );
  });

  it('isMissingFunctionRevert: no other bytes throw', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const data = Buffer.from(bytes).toString('hex');
        for (const text of [data, `08c379a0${data}`, data.slice(1)])
          expect(typeof isMissingFunctionRevert(text)).toBe('boolean');
      }),
    );
  });
});

const digits = fc.string({
  unit: fc.constantFrom(...Array.from('0123456789abcdefABCDEF')),
  minLength: 39,
  maxLength: 41,
});

it('encodeAddress, toLowerCaseAddress: each text is converted by itself, whatever was converted before', () => {
  fc.assert(
    fc.property(fc.array(digits.map((text) => `0x${text}`)), (texts) => {
      for (const text of texts.flatMap((one) => [one, one])) {
        if (text.length !== 42) {
          expect(() => toLowerCaseAddress(text)).toThrow(RangeError);
          expect(() => encodeAddress(text)).toThrow(RangeError);
          continue;
        }
        expect(toLowerCaseAddress(text)).toBe(text.toLowerCase());
        expect(encodeAddress(text)).toBe(text.slice(2).toLowerCase().padStart(64, '0'));
      }
    }),
  );
});
