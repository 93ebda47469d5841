import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { encodeAbiParameters } from 'viem';
import { MalformedReturnDataError } from '../reads/evm/abi-codec.js';
import {
  createAddressFunctionRead,
  parseAddressFunction,
  type ResultReading,
} from './address-function-read.js';

const contract = '0x00000000000000000000000000000000000000cc';
const uint256 = fc.bigInt(0n, 2n ** 256n - 1n);

function decode(returns: string, reading: ResultReading, returnData: string): bigint {
  const parsed = parseAddressFunction(`function f(address user) view returns (${returns})`);
  if (typeof parsed === 'string') throw new Error(parsed);
  return createAddressFunctionRead(contract, parsed, reading, contract).decode(returnData);
}

describe('a function of one address', () => {
  it.each([
    ['nonsense', /human-readable/],
    ['event E(address a)', /human-readable/],
    ['function f() view returns (uint256)', /one address/],
    ['function f(address, uint256) view returns (uint256)', /one address/],
    ['function f(address) view returns (uint256, uint256)', /one value/],
    ['function f(address)', /one value/],
    ['function f(address) view returns (int256)', /without sign/],
    ['function f(address) view returns (string)', /without sign/],
  ])('function of one address: is rejected as %s', (text, message) => {
    expect(parseAddressFunction(text)).toMatch(message);
  });

  it('function of one address: is read as an amount, a length or a sum', () => {
    fc.assert(
      fc.property(fc.array(uint256, { maxLength: 10 }), uint256, (amounts, amount) => {
        const array = encodeAbiParameters([{ type: 'uint256[]' }], [amounts]).slice(2);
        const sum = amounts.reduce((total, one) => total + one, 0n);
        expect(decode('uint256[]', 'sum', array)).toBe(sum);
        expect(decode('uint256[]', 'length', array)).toBe(BigInt(amounts.length));
        const single = encodeAbiParameters([{ type: 'uint256' }], [amount]).slice(2);
        expect(decode('uint256', 'amount', single)).toBe(amount);
      }),
    );
  });

  it('function of one address: is read as 1 or 0 where it returns true or false', () => {
    const toWord = (flag: boolean) => encodeAbiParameters([{ type: 'bool' }], [flag]).slice(2);
    expect([true, false].map((flag) => decode('bool', 'amount', toWord(flag)))).toEqual([1n, 0n]);
  });

  it('function of one address: throws nothing but MalformedReturnDataError', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 200 }),
        fc.constantFrom(...(['uint256[]', 'uint8', 'bool', 'bytes32[]'] as const)),
        (bytes, returns) => {
          const reading = returns.endsWith(']') ? 'length' : 'amount';
          try {
            expect(typeof decode(returns, reading, Buffer.from(bytes).toString('hex'))).toBe('bigint');
          } catch (error) {
            expect(error).toBeInstanceOf(MalformedReturnDataError);
          }
        },
      ),
    );
  });
});
