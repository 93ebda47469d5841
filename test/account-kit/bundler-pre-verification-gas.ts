import { toPackedUserOperation } from 'viem/account-abstraction';
import { bytesToHex, encodeAbiParameters, hexToBytes, size } from 'viem/utils';
import type { SignedUserOperation } from '../../apps/account-kit/src/evm/operations/user-operation.js';

/** alto, `defaultOverHeads`: a transaction, the bundle's own work, and an operation. */
const TRANSACTION_GAS = 21_000n;
const BUNDLE_GAS = 9_830n;
const OPERATION_GAS = 7_260n;
/** Thousandths of gas of a word of `callData`. */
const WORD_MILLIGAS = 9_200n;
/** EIP-7623: a zero byte is one token, another byte four; a token costs so much, or so much at least. */
const TOKENS = [1n, 4n] as const;
const TOKEN_GAS = { standard: 4n, floor: 10n } as const;

const MAX_UINT_128 = 2n ** 128n - 1n;
const PACKED_OPERATION = [
  {
    type: 'tuple',
    components: [
      { name: 'sender', type: 'address' },
      { name: 'nonce', type: 'uint256' },
      { name: 'initCode', type: 'bytes' },
      { name: 'callData', type: 'bytes' },
      { name: 'accountGasLimits', type: 'bytes32' },
      { name: 'preVerificationGas', type: 'uint256' },
      { name: 'gasFees', type: 'bytes32' },
      { name: 'paymasterAndData', type: 'bytes' },
      { name: 'signature', type: 'bytes' },
    ],
  },
] as const;

/**
 * The least `preVerificationGas` that alto accepts (`calcExecutionPvgComponent`), with EIP-7623's floor. alto takes every byte for one that
 * is not zero, where it does not know yet what the byte will be: gas, fees, the sponsor's data and the signature.
 */
export function requiredPreVerificationGas(
  operation: SignedUserOperation,
  { hasFloor = true }: { readonly hasFloor?: boolean } = {},
): bigint {
  const { callGasLimit, paymaster, paymasterData = '0x', paymasterPostOpGasLimit = 0n } = operation;
  const sponsored = {
    paymasterVerificationGasLimit: MAX_UINT_128,
    paymasterPostOpGasLimit: MAX_UINT_128,
    paymasterData: fill(paymasterData),
  };
  const packed = toPackedUserOperation({
    ...operation,
    callGasLimit: MAX_UINT_128,
    verificationGasLimit: MAX_UINT_128,
    preVerificationGas: 2n ** 256n - 1n,
    maxFeePerGas: MAX_UINT_128,
    maxPriorityFeePerGas: MAX_UINT_128,
    signature: fill(operation.signature),
    ...(paymaster ? sponsored : {}),
  });
  const bytes = hexToBytes(encodeAbiParameters(PACKED_OPERATION, [packed]));
  const tokens = bytes.reduce((sum, byte) => sum + TOKENS[byte === 0 ? 0 : 1], 0n);
  const words = BigInt(Math.ceil(size(operation.callData) / 32));
  const standard =
    TOKEN_GAS.standard * tokens + BUNDLE_GAS + OPERATION_GAS + (words * WORD_MILLIGAS) / 1_000n;
  // A tenth of what the call may use is certain to be paid, and fills the floor.
  const floor = TOKEN_GAS.floor * tokens - (callGasLimit + paymasterPostOpGasLimit) / 10n;
  return TRANSACTION_GAS + (hasFloor && floor > standard ? floor : standard);
}

const fill = (hex: `0x${string}`): `0x${string}` => bytesToHex(new Uint8Array(size(hex)).fill(255));
