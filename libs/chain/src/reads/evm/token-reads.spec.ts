import type { EvmAddress } from '@app/dto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { encodeAbiParameters, encodeFunctionData, parseAbi, stringToHex } from 'viem';
import { MalformedReturnDataError } from './abi-codec.js';
import {
  createErc1155UriRead,
  createSupportsInterfaceRead,
  createTokenOfOwnerRead,
  createTokenUriRead,
  INTERFACE_IDS,
  toLargeTextRead,
  createErc20SymbolRead,
} from './token-reads.js';

const contract: EvmAddress = '0x00000000000000000000000000000000000000cc';
const abi = parseAbi([
  'function supportsInterface(bytes4) view returns (bool)',
  'function tokenOfOwnerByIndex(address, uint256) view returns (uint256)',
  'function tokenURI(uint256) view returns (string)',
  'function uri(uint256) view returns (string)',
]);
const uint256 = fc.bigInt(0n, 2n ** 256n - 1n);
const { decode } = createTokenUriRead(contract, 1n);
const encode = (text: string) => encodeAbiParameters([{ type: 'string' }], [text]).slice(2);

describe('calldata', () => {
  it('calldata of reads: equals what viem encodes', () => {
    fc.assert(
      fc.property(uint256, fc.nat(), (id, index) => {
        expect([
          createSupportsInterfaceRead(contract, INTERFACE_IDS.erc721Enumerable).data,
          createTokenOfOwnerRead(contract, contract, index).data,
          createTokenUriRead(contract, id).data,
          createErc1155UriRead(contract, id).data,
        ]).toEqual(
          [
            encodeFunctionData({ abi, functionName: 'supportsInterface', args: ['0x780e9d63'] }),
            encodeFunctionData({ abi, functionName: 'tokenOfOwnerByIndex', args: [contract, BigInt(index)] }),
            encodeFunctionData({ abi, functionName: 'tokenURI', args: [id] }),
            encodeFunctionData({ abi, functionName: 'uri', args: [id] }),
          ].map((data) => data.slice(2)),
        );
      }),
    );
  });
});

describe('text', () => {
  it('token texts: is decoded as viem encodes it', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }).filter((text) => text.isWellFormed()),
        (text) => {
          expect(decode(encode(text))).toBe(text);
        },
      ),
    );
  });

  it.each([
    ['a truncated text', encode('https://a').slice(0, 130)],
    ['a length of 2^255', `${encode('').slice(0, 64)}80${'0'.repeat(62)}`],
    ['one word', '0'.repeat(64)],
  ])('token texts: rejects %s', (_, returnData) => {
    expect(() => decode(returnData)).toThrow(MalformedReturnDataError);
  });

  it('token texts: keeps line breaks, and reads bytes that are not UTF-8 as browsers do', () => {
    expect(decode(encode('a\nb'))).toBe('a\nb');
    expect(decode(`${encode('AB').slice(0, 128)}ff41${'0'.repeat(60)}`)).toBe('\ufffdA');
  });

  it('token texts: is read beyond 16 KiB only by a large read', () => {
    const long = encode('x'.repeat(900_000));
    expect(() => decode(long)).toThrow(MalformedReturnDataError);
    expect(toLargeTextRead(createTokenUriRead(contract, 1n)).decode(long)).toHaveLength(900_000);
    expect(() =>
      toLargeTextRead(createTokenUriRead(contract, 1n)).decode(encode('x'.repeat(3_145_729))),
    ).toThrow(MalformedReturnDataError);
  });

  it('token texts: throws nothing but MalformedReturnDataError', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        try {
          expect(typeof decode(Buffer.from(bytes).toString('hex'))).toBe('string');
        } catch (error) {
          expect(error).toBeInstanceOf(MalformedReturnDataError);
        }
      }),
    );
  });
});

const { decode: decodeSymbol } = createErc20SymbolRead('0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed');

describe('createErc20SymbolRead', () => {
  it.each(['DEMO', 'USD₮0', 'x', '$A.B-c', 'a'.repeat(64)])(
    'createErc20SymbolRead: decodes %s from a string',
    (symbol) => {
      expect(decodeSymbol(encode(symbol))).toBe(symbol);
    },
  );

  it('createErc20SymbolRead: decodes bytes32', () => {
    expect(decodeSymbol(stringToHex('MKR', { size: 32 }).slice(2))).toBe('MKR');
  });

  it.each([
    ['empty', encode('')],
    ['too long', encode('a'.repeat(65))],
    ['with a line break', encode('A\nB')],
    ['not UTF-8', `${encode('AB').slice(0, 128)}ff${'0'.repeat(62)}`],
    ['truncated', encode('DEMO').slice(0, 130)],
    ['empty bytes', '0'.repeat(64)],
  ])('createErc20SymbolRead: rejects a symbol that is %s', (_, returnData) => {
    expect(() => decodeSymbol(returnData)).toThrow(MalformedReturnDataError);
  });

  it('createErc20SymbolRead: throws nothing but MalformedReturnDataError', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          expect(typeof decodeSymbol(Buffer.from(bytes).toString('hex'))).toBe('string');
        } catch (error) {
          expect(error).toBeInstanceOf(MalformedReturnDataError);
        }
      }),
    );
  });
});
