import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { type AbiFunction, encodeFunctionData, type Hex, parseAbiItem } from 'viem';
import { encodeFunctionCall, FunctionCallError, MAX_SIGNATURE_LENGTH } from './encode-function-call.js';
import { batchUserOperationRequest, userOperationRequest } from './user-operation.dto.js';

const TARGET = '0x00000000000000000000000000000000000000aa';
const TRANSFER = 'transfer(address to, uint256 amount)';

/** A type, and one of its values as JSON has it and as viem takes it. */
interface Sample {
  readonly type: string;
  readonly json: unknown;
  readonly value: unknown;
}

const hexOf = (bytes: Uint8Array): string => `0x${Buffer.from(bytes).toString('hex')}`;
const bytesOf = (size: number) => fc.uint8Array({ minLength: size, maxLength: size });

const integer = fc
  .tuple(fc.integer({ min: 1, max: 32 }), fc.boolean(), fc.boolean())
  .chain(([words, isSigned, isHex]) => {
    const most = 2n ** BigInt(8 * words - (isSigned ? 1 : 0)) - 1n;
    return fc.bigInt({ min: isSigned ? -most - 1n : 0n, max: most }).map((value) => ({
      type: `${isSigned ? 'int' : 'uint'}${words === 32 ? '' : 8 * words}`,
      json: isHex && value >= 0n ? `0x${value.toString(16)}` : String(value),
      value,
    }));
  });

const text = (type: string, values: fc.Arbitrary<string>): fc.Arbitrary<Sample> =>
  values.map((value) => ({ type, json: value, value }));

const elementary: fc.Arbitrary<Sample> = fc.oneof(
  integer,
  text('address', bytesOf(20).map(hexOf)),
  text('bytes', fc.uint8Array({ maxLength: 70 }).map(hexOf)),
  text('string', fc.string({ unit: 'grapheme', maxLength: 70 })),
  fc.boolean().map((value) => ({ type: 'bool', json: value, value })),
  fc.integer({ min: 1, max: 32 }).chain((size) => text(`bytes${size}`, bytesOf(size).map(hexOf))),
);

const { sample } = fc.letrec<{ sample: Sample; tuple: Sample; array: Sample }>((tie) => ({
  sample: fc.oneof({ maxDepth: 4, depthSize: 'small' }, elementary, tie('tuple'), tie('array')),
  tuple: fc.array(tie('sample'), { minLength: 1, maxLength: 3 }).map((parts) => ({
    type: `(${parts.map(({ type }, index) => `${type} p${index}`).join(', ')})`,
    json: parts.map(({ json }) => json),
    value: Object.fromEntries(parts.map(({ value }, index) => [`p${index}`, value])),
  })),
  array: fc
    .tuple(tie('sample'), fc.integer({ min: 0, max: 3 }), fc.boolean())
    .map(([one, length, isFixed]) => ({
      type: `${one.type}[${isFixed && length > 0 ? length : ''}]`,
      json: Array.from({ length }, () => one.json),
      value: Array.from({ length }, () => one.value),
    })),
}));

const calls = fc.array(sample, { maxLength: 4 }).map((samples) => ({
  signature: `act(${samples.map(({ type }, index) => `${type} a${index}`).join(', ')})`,
  json: samples.map(({ json }) => json),
  values: samples.map(({ value }) => value),
}));

const encodedByViem = (signature: string, args: readonly unknown[]): Hex =>
  encodeFunctionData({ abi: [parseAbiItem(`function ${signature}`) as AbiFunction], args });

const problemOf = (signature: string, values: readonly unknown[]): string => {
  try {
    return encodeFunctionCall(signature, values);
  } catch (error) {
    if (!(error instanceof FunctionCallError)) throw error;
    return error.path.join('.');
  }
};

const request = (fields: object) => userOperationRequest.safeParse({ target: TARGET, ...fields });

describe('encodeFunctionCall', () => {
  it('encodeFunctionCall: the call data are those that viem encodes for the same signature and values', () => {
    fc.assert(
      fc.property(calls, ({ signature, json, values }) => {
        expect(encodeFunctionCall(signature, json)).toBe(encodedByViem(signature, values));
      }),
      { numRuns: 500 },
    );
  });

  it('encodeFunctionCall: names, data locations and spaces of a signature change nothing', () => {
    const args = [TARGET, ['0x01', '0x']] as const;
    const spellings = [
      'act(address,bytes[])',
      'act(address to,bytes[] data)',
      ' act ( address to , bytes [] calldata data ) ',
      'act(address, bytes[] memory)',
    ].map((signature) => encodeFunctionCall(signature, args));
    expect(new Set(spellings)).toEqual(new Set([encodedByViem('act(address,bytes[])', args)]));
  });

  it.each([
    ['transfer', 'function'],
    ['transfer(address,uint256', 'function'],
    ['transfer(address,uint256) returns (bool)', 'function'],
    ['transfer(address,uint256,)', 'function'],
    ['transfer(address,uint257)', 'function'],
    ['transfer(address,uint7)', 'function'],
    ['transfer(address,bytes33)', 'function'],
    ['transfer(address,IERC20)', 'function'],
    ['transfer(address,())', 'function'],
    ['transfer(address,uint256[0])', 'function'],
    ['transfer(address,uint256[][][][][][][][][])', 'function'],
    [`transfer(${'('.repeat(9)}bool${')'.repeat(9)})`, 'function'],
  ])('encodeFunctionCall: the signature %s is an error of function', (signature, path) => {
    expect(problemOf(signature, [])).toBe(path);
  });

  it.each([
    [TRANSFER, [TARGET], 'arguments'],
    [TRANSFER, [TARGET, '1', '2'], 'arguments'],
    [TRANSFER, [TARGET, 1], 'arguments.1'],
    [TRANSFER, [TARGET, '1.5'], 'arguments.1'],
    [TRANSFER, [TARGET, ''], 'arguments.1'],
    [TRANSFER, [TARGET, '-1'], 'arguments.1'],
    [TRANSFER, [TARGET, String(2n ** 256n)], 'arguments.1'],
    [TRANSFER, ['0x12', '1'], 'arguments.0'],
    [TRANSFER, ['0x70997970c51812dc3A010C7d01b50e0d17dc79C8', '1'], 'arguments.0'],
    ['act(int8)', ['128'], 'arguments.0'],
    ['act(int8)', ['-129'], 'arguments.0'],
    ['act(bool)', ['true'], 'arguments.0'],
    ['act(bytes)', ['0x123'], 'arguments.0'],
    ['act(bytes4)', ['0x123456'], 'arguments.0'],
    ['act(string)', [null], 'arguments.0'],
    ['act((uint8 a, uint8 b))', [{ a: '1', b: '2' }], 'arguments.0'],
    [
      'act((uint8 a, uint8[2] b)[])',
      [
        [
          ['1', ['2', '3']],
          ['4', ['5', '256']],
        ],
      ],
      'arguments.0.1.1.1',
    ],
    ['act(uint8[2])', [['1']], 'arguments.0'],
    ['act(uint8[])', ['1'], 'arguments.0'],
  ])('encodeFunctionCall: the call of %s with %j names the field %s', (signature, values, path) => {
    expect(problemOf(signature, values)).toBe(path);
  });

  it('encodeFunctionCall: signatures, parameter lists and values beyond their bounds are errors', () => {
    const parameters = (count: number) => `act(${Array.from({ length: count }, () => 'bool').join()})`;
    const booleans = (count: number) => Array.from({ length: count }, () => true);
    expect(problemOf(parameters(64), booleans(64))).toMatch(/^0x/);
    expect(problemOf(parameters(65), booleans(65))).toBe('function');
    expect(problemOf(`act(bool ${'a'.repeat(MAX_SIGNATURE_LENGTH)})`, [true])).toBe('function');
    expect(problemOf('act(string)', ['a'.repeat(70_000)])).toBe('arguments.0');
    expect(problemOf('act(bool[])', [booleans(1_023)])).toMatch(/^0x/);
    expect(problemOf('act(bool[])', [booleans(1_024)])).toBe('arguments');
  });

  it('encodeFunctionCall: the error is FunctionCallError for any signature and any values', () => {
    const noise = fc.string({
      unit: fc.constantFrom(...Array.from('aint256bytes()[],. $0x')),
      maxLength: 60,
    });
    const cut = fc
      .tuple(calls, fc.nat(), fc.nat(3), noise)
      .map(([{ signature, json }, at, length, extra]) => {
        const start = at % signature.length;
        return {
          signature: signature.slice(0, start) + extra.slice(0, 4) + signature.slice(start + length),
          json,
        };
      });
    const values = fc.array(fc.jsonValue(), { maxLength: 5 });
    fc.assert(
      fc.property(fc.oneof(calls, cut), values, noise, ({ signature, json }, others, other) => {
        for (const [text, args] of [
          [signature, json],
          [signature, others],
          [other, others],
        ] as const)
          problemOf(text, args);
      }),
      { numRuns: 500 },
    );
  });
});

describe('userOperationRequest', () => {
  it('userOperationRequest: a function with its arguments is the same call as its call data', () => {
    const args = [TARGET, 5n] as const;
    const byFunction = request({ function: TRANSFER, arguments: [TARGET, '0x5'], value: '0x0' });
    expect(byFunction.data?.call).toEqual({
      ...{ target: TARGET, value: 0n, data: encodedByViem(TRANSFER, args) },
      fields: { target: 'target', data: 'function' },
    });
    expect(request({ callData: encodedByViem(TRANSFER, args) }).data?.call).toEqual({
      ...byFunction.data?.call,
      fields: { target: 'target', data: 'callData' },
    });
    expect(request({ function: 'pause()' }).data).toEqual(
      request({ function: 'pause()', arguments: [] }).data,
    );
  });

  it('userOperationRequest: a signature may begin with the word function', () => {
    const dataOf = (signature: string) =>
      request({ function: signature, arguments: [TARGET, '5'] }).data?.call.data;
    expect(dataOf(`function ${TRANSFER}`)).toEqual(dataOf(TRANSFER));
    expect(dataOf(`  function   ${TRANSFER}`)).toEqual(dataOf(TRANSFER));
    expect(dataOf(TRANSFER)).toBeDefined();
    for (const signature of [
      'function',
      'function (address,uint256) x',
      'function function f(address,uint256)',
    ])
      expect(request({ function: signature, arguments: [TARGET, '5'] }).error?.issues).toMatchObject([
        { path: ['function'] },
      ]);
  });

  it.each([
    [{ function: 'pause()', callData: '' }, 'callData'],
    [{ function: 'pause()', calldata: '0x' }, 'calldata'],
    [{ arguments: [] }, 'arguments'],
    [{ arguments: [], callData: '0x' }, 'arguments'],
    [{ function: TRANSFER }, 'arguments'],
    [{ function: null, arguments: [] }, 'function'],
    [{ function: 'pause()', arguments: {} }, 'arguments'],
  ])('userOperationRequest: %j is an error of the field %s', (fields, path) => {
    expect(request(fields).error?.issues.map((issue) => issue.path.join('.'))).toEqual([path]);
  });

  it('userOperationRequest and batchUserOperationRequest: any body is accepted or answered with issues', () => {
    const field = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom('', '0x', '0x123', TRANSFER, 'pause()', 'a'.repeat(66_000)),
    );
    const arguments_ = fc.oneof(
      fc.array(fc.jsonValue(), { maxLength: 3 }),
      fc.constant([TARGET, '1']),
      field,
    );
    const body = fc.record(
      {
        target: fc.oneof(fc.constant(TARGET), field),
        callData: fc.oneof(fc.constant('0x01'), field),
        calldata: field,
        function: field,
        arguments: arguments_,
        value: fc.oneof(fc.constant('1'), field),
      },
      { requiredKeys: ['target'] },
    );
    fc.assert(
      fc.property(fc.array(body, { minLength: 1, maxLength: 3 }), (userOps) => {
        const isAccepted = userOps.every((one) => userOperationRequest.safeParse(one).success);
        expect(batchUserOperationRequest.safeParse({ userOps }).success).toBe(isAccepted);
      }),
      { numRuns: 1_000 },
    );
    const tooLong = { target: TARGET, callData: `0x${'00'.repeat(40_000)}` };
    expect(batchUserOperationRequest.safeParse({ userOps: [tooLong] }).success).toBe(false);
  });

  it('batchUserOperationRequest: an error in a call names its index, and calls of 32 KiB together are too many', () => {
    const call = (text: string) => ({ target: TARGET, function: 'act(string)', arguments: [text] });
    const pathsOf = (userOps: object[]) =>
      batchUserOperationRequest.safeParse({ userOps }).error?.issues.map(({ path }) => path.join('.'));
    expect(pathsOf([call('a'), { ...call('a'), arguments: [1] }])).toEqual(['userOps.1.arguments.0']);
    expect(pathsOf([call('a'.repeat(33_000))])).toEqual(['userOps.0.arguments']);
    expect(pathsOf([call('a'.repeat(16_000)), call('a'.repeat(16_000))])).toBeUndefined();
    expect(pathsOf([call('a'.repeat(17_000)), call('a'.repeat(17_000))])).toEqual(['userOps']);
  });
});
