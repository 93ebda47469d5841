import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { encodeAbiParameters, stringToHex } from 'viem';
import { MalformedReturnDataError } from '../codec/abi-decode.js';
import { createErc20SymbolRead } from './create-erc20-symbol-read.js';

const { decode } = createErc20SymbolRead('0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed');
const asString = (text: string) => encodeAbiParameters([{ type: 'string' }], [text]).slice(2);

describe('createErc20SymbolRead', () => {
  it.each(['DEMO', 'USD₮0', 'x', '$A.B-c', 'a'.repeat(64)])(
    'createErc20SymbolRead: decodes %s from a string',
    (symbol) => {
      expect(decode(asString(symbol))).toBe(symbol);
    },
  );

  it('createErc20SymbolRead: decodes bytes32', () => {
    expect(decode(stringToHex('MKR', { size: 32 }).slice(2))).toBe('MKR');
  });

  it.each([
    ['empty', asString('')],
    ['too long', asString('a'.repeat(65))],
    ['with a line break', asString('A\nB')],
    ['not UTF-8', `${asString('AB').slice(0, 128)}ff${'0'.repeat(62)}`],
    ['truncated', asString('DEMO').slice(0, 130)],
    ['empty bytes', '0'.repeat(64)],
  ])('createErc20SymbolRead: rejects a symbol that is %s', (_, returnData) => {
    expect(() => decode(returnData)).toThrow(MalformedReturnDataError);
  });

  it('createErc20SymbolRead: throws nothing but MalformedReturnDataError', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          expect(typeof decode(Buffer.from(bytes).toString('hex'))).toBe('string');
        } catch (error) {
          expect(error).toBeInstanceOf(MalformedReturnDataError);
        }
      }),
    );
  });
});
