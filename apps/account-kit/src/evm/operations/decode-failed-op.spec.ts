import { describe, expect, it } from '@jest/globals';
import { BaseError, RpcRequestError } from 'viem';
import { encodeErrorResult, parseAbi } from 'viem/utils';
import { decodeFailedOp } from './decode-failed-op.js';

const data = encodeErrorResult({
  abi: parseAbi(['error FailedOp(uint256 opIndex, string reason)']),
  args: [3n, "AA21 didn't pay prefund"],
});

function revert(revertData: unknown): BaseError {
  const error = { code: 3, message: 'execution reverted', data: revertData };
  return new BaseError('call failed', {
    cause: new RpcRequestError({ body: {}, error, url: 'http://node' }),
  });
}

describe('decodeFailedOp', () => {
  it('decodeFailedOp: finds the operation in the shapes in which nodes give the data', () => {
    const expected = { index: 3, reason: "AA21 didn't pay prefund" };
    expect(decodeFailedOp(revert(data))).toEqual(expected);
    expect(decodeFailedOp(revert({ data }))).toEqual(expected);
  });

  it('decodeFailedOp: finds it also if the account or the paymaster reverted', () => {
    const withRevert = encodeErrorResult({
      abi: parseAbi(['error FailedOpWithRevert(uint256 opIndex, string reason, bytes inner)']),
      args: [1n, 'AA23 reverted', '0x1234'],
    });
    expect(decodeFailedOp(revert(withRevert))).toEqual({ index: 1, reason: 'AA23 reverted' });
  });

  it.each([
    new Error('away'),
    revert(undefined),
    revert('0x'),
    revert('0x12345678'),
    revert(data.slice(0, 90)),
  ])('decodeFailedOp: names no operation otherwise (%#)', (error) => {
    expect(decodeFailedOp(error)).toBeUndefined();
  });

  it('decodeFailedOp: bounds a reason that a contract has chosen', () => {
    const long = encodeErrorResult({
      abi: parseAbi(['error FailedOp(uint256 opIndex, string reason)']),
      args: [0n, 'x'.repeat(10_000)],
    });
    expect(decodeFailedOp(revert(long))?.reason).toHaveLength(200);
  });
});
