import type { Address, Hex, PublicClient } from 'viem';
import { toPackedUserOperation } from 'viem/account-abstraction';
import { encodeAbiParameters, hexToBigInt, hexToBytes } from 'viem/utils';
import { ACCOUNT_CONTRACTS } from '../../apps/account-kit/src/evm/accounts/account-contracts.js';
import { simulateCalls } from '../../apps/account-kit/src/evm/nodes/simulate-calls.js';
import { type BundlerError, type PooledOperation, revertedCall } from './bundler-rules.js';

/** What `eth_estimateUserOperationGas` answers (ERC-7769). */
export interface BundlerEstimate {
  readonly preVerificationGas: bigint;
  readonly verificationGasLimit: bigint;
  readonly callGasLimit: bigint;
  readonly paymasterVerificationGasLimit?: bigint;
  readonly paymasterPostOpGasLimit?: bigint;
}

/** The overheads of eth-infinitism's bundler and alto: a transaction, and an operation in its bundle. */
const FIXED_GAS = 21_000n + 18_300n;
/** EIP-7623: the floor for a zero byte and another byte. */
const BYTE_GAS = [10n, 40n] as const;
/** Measured on EntryPoint 0.7 and 0.8 for SimpleAccount, with a reserve. */
const VERIFICATION_GAS = { deploying: 450_000n, deployed: 100_000n };
/** alto adds so much to what it has measured. */
const RESERVE_PERCENT = 130n;
const INTRINSIC_GAS = 21_000n;

/** Estimates as bundlers do: by executing the call from the EntryPoint after the deployment of the account. */
export async function estimateAsBundler(
  client: PublicClient,
  { version, operation }: PooledOperation,
): Promise<BundlerEstimate | BundlerError> {
  const { entryPoint } = ACCOUNT_CONTRACTS[version];
  const { sender, factory, factoryData, paymaster, callData } = operation;
  const call = { from: entryPoint, to: sender, data: callData };
  const deployment = factory && factoryData && { to: factory, data: factoryData };
  const calls = deployment
    ? [{ from: await senderCreatorOf(client, entryPoint), ...deployment }, call]
    : [call];
  const { isSuccess, data, gasUsed } = await simulateCalls(client, [calls]);
  if (!isSuccess) return revertedCall(data);
  const executed = gasUsed > INTRINSIC_GAS ? gasUsed - INTRINSIC_GAS : 0n;
  const sponsored = { paymasterVerificationGasLimit: 80_000n, paymasterPostOpGasLimit: 1n };
  return {
    preVerificationGas: estimatePreVerificationGas(operation),
    verificationGasLimit: VERIFICATION_GAS[deployment ? 'deploying' : 'deployed'],
    callGasLimit: callData === '0x' ? 0n : (executed * RESERVE_PERCENT) / 100n,
    ...(paymaster ? sponsored : {}),
  };
}

function estimatePreVerificationGas(operation: PooledOperation['operation']): bigint {
  const packed = toPackedUserOperation(operation);
  const data = encodeAbiParameters(
    [{ type: 'bytes' }, { type: 'bytes' }, { type: 'bytes' }, { type: 'bytes' }],
    [packed.initCode, packed.callData, packed.paymasterAndData, packed.signature],
  );
  const bytes = hexToBytes(data);
  return bytes.reduce((gas, byte) => gas + BYTE_GAS[byte === 0 ? 0 : 1], FIXED_GAS);
}

const creators = new Map<Address, Address>();

/** The only contract that may deploy accounts through the factory of version 0.8. */
async function senderCreatorOf(client: PublicClient, entryPoint: Address): Promise<Address> {
  const known = creators.get(entryPoint);
  if (known) return known;
  const { data } = await client
    .call({ to: entryPoint, data: SENDER_CREATOR })
    .catch((): { data?: Hex } => ({ data: undefined }));
  // EntryPoint 0.7 does not tell its creator, and its factory takes anybody.
  const creator: Address =
    data && hexToBigInt(data) > 0n ? `0x${data.slice(-40)}` : '0x00000000000000000000000000000000000c0de0';
  creators.set(entryPoint, creator);
  return creator;
}

/** `senderCreator()` */
const SENDER_CREATOR: Hex = '0x09ccb880';
