import { type Address, BaseError, type Hex } from 'viem';
import { formatUserOperation, type RpcUserOperation } from 'viem/account-abstraction';
import { isAddressEqual } from 'viem/utils';
import {
  ACCOUNT_CONTRACTS,
  type AccountVersion,
} from '../../apps/account-kit/src/evm/accounts/account-contracts.js';
import { hashUserOperation } from '../../apps/account-kit/src/evm/operations/hash-user-operation.js';
import type { SignedUserOperation } from '../../apps/account-kit/src/evm/operations/user-operation.js';
import { ALTO_ERRORS } from './alto-errors.js';
import { requiredPreVerificationGas } from './bundler-pre-verification-gas.js';

export interface BundlerError {
  readonly code: number;
  readonly message: string;
}

/** An operation as a bundler holds it. */
export interface PooledOperation {
  readonly version: AccountVersion;
  readonly operation: SignedUserOperation;
  readonly hash: Hex;
}

/** The codes of ERC-7769 that the rules answer with. */
const CODES = {
  invalidFields: -32_602,
  rejectedByEntryPoint: -32_500,
  rejectedByPaymaster: -32_501,
  expiresShortly: -32_503,
  invalidSignature: -32_507,
  reverted: -32_521,
} as const;

/** ERC-7562, SAME_SENDER_MEMPOOL_COUNT: operations of a sender without stake. */
const MAX_OPERATIONS_OF_SENDER = 4;
/** alto, `validateUserOpFields`. */
const MIN_VERIFICATION_GAS = 10_000n;
/** alto, `max-gas-per-user-op`; EIP-7825 leaves no room for more. */
const MAX_OPERATION_GAS = 16_000_000n;
/** Rundler and hosted bundlers want a tip, which pays them: 0.1 gwei on Ethereum. */
export const MIN_PRIORITY_FEE = 10n ** 8n;
/** Bundlers replace an operation when both fees rise by so much (ERC-4337 tooling, alto `Mempool.add`). */
const REPLACEMENT_PERCENT = 110n;

export const refusal = (message: string, code: number = CODES.invalidFields): BundlerError => ({
  code,
  message,
});

/**
 * Reads the parameters of `eth_sendUserOperation` and `eth_estimateUserOperationGas`, which refuse unknown EntryPoints and malformed
 * operations.
 * @param options.isEstimated gas limits and fees may be missing
 */
export function readOperation(
  chainId: number,
  [request, entryPoint]: readonly unknown[],
  { isEstimated = false } = {},
): PooledOperation | BundlerError {
  const version = (['0.7', '0.8'] as const).find(
    (one) =>
      typeof entryPoint === 'string' &&
      isAddressEqual(ACCOUNT_CONTRACTS[one].entryPoint, entryPoint as Address),
  );
  if (!version) return refusal(`EntryPoint ${String(entryPoint)} not supported`);
  const fields = (request ?? {}) as Record<string, unknown>;
  const required = isEstimated ? ESTIMATED : [...ESTIMATED, ...LIMITS_AND_FEES];
  const missing = required.find((name) => !isHexText(fields[name]));
  if (missing) return refusal(`userOperation.${missing}: not a hex string`);
  if (isHexText(fields['factory']) !== isHexText(fields['factoryData']))
    return refusal('userOperation: factory and factoryData come together');
  const given = formatUserOperation(request as RpcUserOperation) as unknown as SignedUserOperation;
  const operation = { ...NO_LIMITS, ...given };
  return { version, operation, hash: hashUserOperation(version, chainId, operation) };
}

const ESTIMATED = ['sender', 'nonce', 'callData', 'signature'];
const LIMITS_AND_FEES = [
  ...['callGasLimit', 'verificationGasLimit', 'preVerificationGas'],
  ...['maxFeePerGas', 'maxPriorityFeePerGas'],
];
const NO_LIMITS = {
  callGasLimit: 0n,
  verificationGasLimit: 0n,
  preVerificationGas: 0n,
  maxFeePerGas: 0n,
  maxPriorityFeePerGas: 0n,
};
const isHexText = (value: unknown): boolean => typeof value === 'string' && /^0x[0-9a-f]*$/i.test(value);

/** What a bundler refuses without asking its node. */
export function findInvalidField({ operation }: PooledOperation, baseFee: bigint): BundlerError | undefined {
  const { maxFeePerGas, maxPriorityFeePerGas } = operation;
  if (operation.preVerificationGas === 0n)
    return refusal('userOperation preVerification gas must be larger than 0');
  if (operation.verificationGasLimit < MIN_VERIFICATION_GAS)
    return refusal(`verificationGasLimit must be at least ${MIN_VERIFICATION_GAS}`);
  const gas = sumGas(operation);
  if (gas > MAX_OPERATION_GAS)
    return refusal(`User operation gas limits exceed the max gas per userOp: ${gas} > ${MAX_OPERATION_GAS}`);
  // An operation whose bundle cannot be in the next block, or that pays nothing for it (alto, `validateUserOpGasPrice`).
  if (maxPriorityFeePerGas > maxFeePerGas)
    return refusal('maxPriorityFeePerGas must not be higher than maxFeePerGas');
  if (maxFeePerGas < baseFee)
    return refusal(`maxFeePerGas must be at least ${baseFee} (current maxFeePerGas: ${maxFeePerGas})`);
  if (maxPriorityFeePerGas < MIN_PRIORITY_FEE)
    return refusal(
      `maxPriorityFeePerGas must be at least ${MIN_PRIORITY_FEE} (current maxPriorityFeePerGas: ${maxPriorityFeePerGas})`,
    );
  const required = requiredPreVerificationGas(operation);
  if (operation.preVerificationGas < required)
    return refusal(
      `preVerificationGas is not enough, required: ${required}, got: ${operation.preVerificationGas}`,
      CODES.rejectedByEntryPoint,
    );
  return undefined;
}

export const sumGas = (operation: SignedUserOperation): bigint =>
  operation.callGasLimit +
  operation.verificationGasLimit +
  operation.preVerificationGas +
  (operation.paymasterVerificationGasLimit ?? 0n) +
  (operation.paymasterPostOpGasLimit ?? 0n);

const isSameSender = (one: PooledOperation, other: PooledOperation): boolean =>
  one.version === other.version && isAddressEqual(one.operation.sender, other.operation.sender);
export const isSameNonce = (one: PooledOperation, other: PooledOperation): boolean =>
  isSameSender(one, other) && one.operation.nonce === other.operation.nonce;
const areDeployments = (one: PooledOperation, other: PooledOperation): boolean =>
  isSameSender(one, other) && one.operation.factory !== undefined && other.operation.factory !== undefined;

/** A bundle with the operation, or with another of its nonce, is on its way: nothing replaces it (alto, `checkDuplicatesAndConflicts`). */
export function findProcessingConflict(
  candidate: PooledOperation,
  processing: readonly PooledOperation[],
): BundlerError | undefined {
  if (processing.some(({ hash }) => hash === candidate.hash)) return ALTO_ERRORS.sentTwice;
  if (processing.some((other) => areDeployments(candidate, other))) return ALTO_ERRORS.deploymentInBundle;
  if (processing.some((other) => isSameNonce(candidate, other))) return ALTO_ERRORS.nonceInBundle;
  return undefined;
}

/** An operation that waits in the mempool keeps its nonce, unless the new one raises *both* fees by a tenth. */
export function findOutstandingConflict(
  candidate: PooledOperation,
  outstanding: readonly PooledOperation[],
): { readonly error?: BundlerError; readonly replaced?: PooledOperation } {
  if (outstanding.some(({ hash }) => hash === candidate.hash)) return { error: ALTO_ERRORS.sentTwice };
  const replaced = outstanding.find(
    (other) => isSameNonce(candidate, other) || areDeployments(candidate, other),
  );
  if (!replaced) {
    const ofSender = outstanding.filter((other) => isSameSender(candidate, other)).length;
    const error =
      ofSender < MAX_OPERATIONS_OF_SENDER
        ? undefined
        : refusal(
            'AA25 invalid account nonce: Maximum number of parallel user operations for that is allowed for this sender reached',
          );
    return { ...(error && { error }) };
  }
  const isRaised = (['maxFeePerGas', 'maxPriorityFeePerGas'] as const).every(
    (fee) => candidate.operation[fee] * 100n >= replaced.operation[fee] * REPLACEMENT_PERCENT,
  );
  if (isRaised) return { replaced };
  const isOther = !isSameNonce(candidate, replaced);
  return { error: isOther ? ALTO_ERRORS.otherDeployment : ALTO_ERRORS.otherAtSameNonce };
}

/** How a bundler names what the EntryPoint found in a simulation. */
export function explainFailedOp(reason: string): BundlerError {
  return refusal(`UserOperation reverted with reason: ${reason}`, codeOf(reason));
}

function codeOf(reason: string): number {
  if (reason.startsWith('AA24') || reason.startsWith('AA34')) return CODES.invalidSignature;
  if (reason.startsWith('AA22') || reason.startsWith('AA32')) return CODES.expiresShortly;
  return reason.startsWith('AA3') ? CODES.rejectedByPaymaster : CODES.rejectedByEntryPoint;
}

/** The bundler's node failed: alto answers such failures without a code of its own. */
export const explainFailure = (error: unknown): BundlerError =>
  refusal(error instanceof BaseError ? error.shortMessage : String(error), -32_603);

export const revertedCall = (data: Hex): BundlerError =>
  refusal(`UserOperation reverted during simulation with reason: ${data}`, CODES.reverted);
/** The nonce was used, or is not the next one: bundlers that hold nonces of the future drop them after a while, others refuse them. */
export const wrongNonce: BundlerError = ALTO_ERRORS.included;
