import { describe, expect, it } from '@jest/globals';
import {
  ACCOUNT_PLACEHOLDER,
  type ContractFunction,
  findArgumentProblem,
  parseContractFunction,
} from '@app/dto';
import fc from 'fast-check';
import { type AbiFunction, encodeAbiParameters, encodeFunctionData, parseAbiItem } from 'viem';
import { MalformedReturnDataError } from '../reads/evm/abi-codec.js';
import { prepareContractCall } from './contract-function-call.js';

const contract = '0x00000000000000000000000000000000000000cc';
const account = `0x${'a1'.repeat(20)}` as const;

const hex = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((all) => `0x${Buffer.from(all).toString('hex')}`);
const bits = fc.integer({ min: 1, max: 32 }).map((bytes) => bytes * 8);

/** A parameter, its argument as text, and the value of viem for it. */
const anyArgument = fc.oneof(
  bits.chain((size) =>
    fc
      .bigInt(0n, 2n ** BigInt(size) - 1n)
      .map((value) => ({ type: `uint${size}`, text: String(value), value })),
  ),
  bits.chain((size) =>
    fc
      .bigInt(-(2n ** BigInt(size - 1)), 2n ** BigInt(size - 1) - 1n)
      .map((value) => ({ type: `int${size}`, text: String(value), value })),
  ),
  fc
    .bigInt(0n, 2n ** 256n - 1n)
    .map((value) => ({ type: 'uint256', text: `0x${value.toString(16)}`, value })),
  fc.boolean().map((value) => ({ type: 'bool', text: String(value), value })),
  hex(20).map((text) => ({ type: 'address', text, value: text })),
  fc.constant({ type: 'address', text: ACCOUNT_PLACEHOLDER, value: account }),
  fc
    .integer({ min: 1, max: 32 })
    .chain((size) => hex(size).map((text) => ({ type: `bytes${size}`, text, value: text }))),
  fc
    .nat(64)
    .chain(hex)
    .map((text) => ({ type: 'bytes', text, value: text })),
  fc.string({ unit: 'grapheme', maxLength: 30 }).map((text) => ({ type: 'string', text, value: text })),
);

function parse(text: string): ContractFunction {
  const parsed = parseContractFunction(text);
  if (typeof parsed === 'string') throw new Error(parsed);
  return parsed;
}

const decode = (returns: string, returnData: string): bigint =>
  prepareContractCall(
    contract,
    parse(`function f() view returns (${returns})`),
    [],
  )(account).decode(returnData);
const encodeResult = (type: string, value: unknown) => encodeAbiParameters([{ type }], [value]).slice(2);

describe('prepareContractCall', () => {
  it('prepareContractCall: parses and encodes every function as viem does', () => {
    const name = fc.stringMatching(/^[a-zA-Z_$][a-zA-Z0-9_$]{0,20}$/);
    const returns = fc.constantFrom(
      'bool',
      'uint256',
      'int24',
      'address',
      'bytes32',
      'uint256[]',
      'string[]',
    );
    fc.assert(
      fc.property(name, fc.array(anyArgument, { maxLength: 8 }), returns, (called, args, output) => {
        const text = `function ${called}(${args.map(({ type }) => type).join(', ')}) view returns (${output})`;
        const parsed = parse(text);
        const abi = parseAbiItem(text as 'function f()') as AbiFunction;
        expect(parsed.name).toBe(abi.name);
        expect(parsed.parameters).toEqual(abi.inputs.map(({ type }) => type));
        for (const [index, { text: argument }] of args.entries())
          expect(findArgumentProblem(parsed.parameters[index] ?? '', argument, 1)).toBeUndefined();
        const create = prepareContractCall(
          contract,
          parsed,
          args.map((one) => one.text),
        );
        expect(create(account)).toMatchObject({ to: contract, isIsolated: true });
        expect(`0x${create(account).data}`).toBe(
          encodeFunctionData({ abi: [abi], args: args.map(({ value }) => value) }),
        );
      }),
      { numRuns: 500 },
    );
  });

  it('prepareContractCall: takes no function that viem does not take', () => {
    const pieces = fc.constantFrom(
      '(',
      ')',
      ',',
      ' ',
      'uint',
      'uint8',
      'address',
      'a',
      'memory',
      '[]',
      '[2]',
      'bytes',
      'bool',
    );
    fc.assert(
      fc.property(
        fc.array(pieces, { maxLength: 8 }),
        fc.array(pieces, { maxLength: 3 }),
        (inputs, outputs) => {
          const text = `function f(${inputs.join('')}) view returns (${outputs.join('')})`;
          const parsed = parseContractFunction(text);
          if (typeof parsed === 'string') return;
          // viem is strict about spaces, and about a data location of a type that has none, which do not change the call.
          const types = parsed.parameters.join();
          const abi = parseAbiItem(`function f(${types}) view returns (bool)`) as AbiFunction;
          expect(abi.inputs.map(({ type }) => type)).toEqual(parsed.parameters);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('prepareContractCall: decodes what viem encodes', () => {
    fc.assert(
      fc.property(
        fc.bigInt(0n, 2n ** 256n - 1n),
        fc.bigInt(-(2n ** 255n), 2n ** 255n - 1n),
        fc.boolean(),
        fc.array(hex(20), { maxLength: 20 }),
        fc.array(fc.string({ maxLength: 50 }), { maxLength: 5 }),
        (unsigned, signed, flag, addresses, texts) => {
          expect(decode('uint256', encodeResult('uint256', unsigned))).toBe(unsigned);
          expect(decode('int256', encodeResult('int256', signed))).toBe(signed);
          expect(decode('int16', encodeResult('int16', BigInt.asIntN(16, signed)))).toBe(
            BigInt.asIntN(16, signed),
          );
          expect(decode('bool', encodeResult('bool', flag))).toBe(flag ? 1n : 0n);
          const word = `0x${unsigned.toString(16).padStart(64, '0')}`;
          expect(decode('bytes32', encodeResult('bytes32', word))).toBe(unsigned);
          for (const address of addresses)
            expect(decode('address', encodeResult('address', address))).toBe(BigInt(address));
          expect(decode('address[]', encodeResult('address[]', addresses))).toBe(BigInt(addresses.length));
          expect(decode('string[]', encodeResult('string[]', texts))).toBe(BigInt(texts.length));
        },
      ),
    );
  });

  const word = (value: bigint) => value.toString(16).padStart(64, '0');

  it.each([
    ['uint8', word(256n)],
    ['int8', word(128n)],
    ['int8', word(2n ** 255n)],
    ['bool', word(2n)],
    ['address', word(2n ** 160n)],
    ['bool', '01'],
    ['uint256', word(1n).slice(2)],
    ['uint256', encodeResult('address[]', [])],
    ['uint256', encodeResult('address[]', [contract])],
    ['bytes32', encodeResult('string', '')],
    ['bytes32', encodeResult('string', 'yes')],
    ['bool', word(1n) + word(0n)],
    ['address', word(1n) + word(2n) + word(3n)],
    ['uint256[]', word(64n) + word(7n) + word(0n)],
    ['uint256[]', encodeResult('uint256[]', Array(2_047).fill(1n))],
    ['uint256[]', ''],
    ['uint256[]', word(32n)],
    ['uint256[]', word(32n) + word(2n) + word(1n)],
    ['uint256[]', word(0n) + word(0n)],
    ['uint256[]', word(32n) + word(2n ** 255n)],
    ['uint256[]', word(2n ** 255n) + word(0n)],
    ['uint256[]', word(96n) + word(0n)],
  ])('prepareContractCall: refuses for %s %s', (returns, data) => {
    expect(() => decode(returns, data)).toThrow(MalformedReturnDataError);
  });

  it('prepareContractCall: counts up to 2,046 elements', () => {
    expect(decode('uint256[]', encodeResult('uint256[]', Array(2_046).fill(1n)))).toBe(2_046n);
  });

  it('prepareContractCall: throws nothing but MalformedReturnDataError', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 200 }),
        fc.constantFrom('uint256[]', 'uint8', 'int64', 'bool', 'address', 'bytes32', 'bytes[]'),
        (bytes, returns) => {
          try {
            expect(typeof decode(returns, Buffer.from(bytes).toString('hex'))).toBe('bigint');
          } catch (error) {
            expect(error).toBeInstanceOf(MalformedReturnDataError);
          }
        },
      ),
    );
  });
});
