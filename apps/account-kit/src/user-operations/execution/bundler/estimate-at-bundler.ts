import type { Address, Hex, PublicClient } from 'viem';
import type { AccountVersion } from '../../../evm/accounts/account-contracts.js';
import { bundlerEstimateRefused, bundlerUnavailable } from '../../../evm/estimation/estimation.errors.js';
import { estimateL1Gas } from '../../../evm/estimation/estimate-pre-verification-gas.js';
import type { UserOperationFields } from '../../../evm/operations/user-operation.js';
import type { BundlerGas, EstimateResult } from './bundler-client.service.js';

/** Asks the bundler of a chain what gas limits it wants for an operation. */
export type AskBundler = (version: AccountVersion, operation: UserOperationFields) => Promise<EstimateResult>;

/** The highest limits that are signed because a bundler asked for them. */
export const MAX_VERIFICATION_GAS = 1_000_000n;
const MAX_PRE_VERIFICATION_FACTOR = 2n;
const MAX_CALL_FACTOR = 2n;
const MAX_CALL_ADDED = 100_000n;
/**
 * A bundler estimates on the newest block, where an operation behind an unfinished one has a wrong nonce (AA25). A quarter more than our
 * own numbers covers the bundlers whose overhead is higher than ours.
 */
const UNASKED_MARGIN = { numerator: 5n, denominator: 4n };

interface EstimatedOperation {
  readonly version: AccountVersion;
  /** The operation with gas limits of our own. */
  readonly operation: UserOperationFields;
  /** Gas that the simulated call used. */
  readonly executedGas: bigint;
  /** Whether earlier operations of the lane are unfinished. */
  readonly isBehindOthers: boolean;
  /** What a unit of gas costs now, in wei. */
  readonly gasPrice: bigint;
  /** Bytes of the transaction that holds the operation alone. */
  readonly bytes: bigint;
  readonly paymaster: { readonly address: Address; readonly data: Hex } | undefined;
}

/**
 * The gas limits that a bundler's estimate raises: each is at least our own number, and at most a ceiling.
 * @throws AppError 503 `bundler_estimate_refused` above a ceiling, `bundler_unavailable` without an estimate
 */
export async function estimateAtBundler(
  client: PublicClient,
  ask: AskBundler,
  estimated: EstimatedOperation,
): Promise<BundlerGas> {
  const { version, operation, executedGas, isBehindOthers, gasPrice, bytes, paymaster } = estimated;
  const own = {
    preVerificationGas: operation.preVerificationGas + (await estimateL1Gas(client, { bytes, gasPrice })),
    verificationGasLimit: operation.verificationGasLimit,
    callGasLimit: operation.callGasLimit,
  };
  if (isBehindOthers) return withMargin(own);
  const sponsored = paymaster && { paymaster: paymaster.address, paymasterData: paymaster.data };
  const result = await ask(version, { ...operation, ...sponsored });
  if (result.outcome === 'not_supported') return withMargin(own);
  if (result.outcome !== 'estimated') throw bundlerUnavailable();
  const ceilings = {
    preVerificationGas: MAX_PRE_VERIFICATION_FACTOR * own.preVerificationGas,
    verificationGasLimit: MAX_VERIFICATION_GAS,
    callGasLimit: MAX_CALL_FACTOR * executedGas + MAX_CALL_ADDED,
  };
  // The bundler knows what the chain below costs, and a node that is wrong about it only raises the ceiling.
  const least = { ...own, preVerificationGas: operation.preVerificationGas };
  return {
    preVerificationGas: limit('preVerificationGas', result.gas, least, ceilings),
    verificationGasLimit: limit('verificationGasLimit', result.gas, least, ceilings),
    callGasLimit: limit('callGasLimit', result.gas, least, ceilings),
  };
}

const withMargin = (own: BundlerGas): BundlerGas => ({
  preVerificationGas: (own.preVerificationGas * UNASKED_MARGIN.numerator) / UNASKED_MARGIN.denominator,
  verificationGasLimit: (own.verificationGasLimit * UNASKED_MARGIN.numerator) / UNASKED_MARGIN.denominator,
  callGasLimit: own.callGasLimit,
});

function limit(name: keyof BundlerGas, asked: BundlerGas, own: BundlerGas, ceilings: BundlerGas): bigint {
  if (asked[name] > ceilings[name])
    throw bundlerEstimateRefused({ limit: name, required: asked[name], allowed: ceilings[name] });
  return asked[name] > own[name] ? asked[name] : own[name];
}
