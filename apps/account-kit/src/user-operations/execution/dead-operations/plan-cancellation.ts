import { AppError } from '@app/common';
import type { Address, PublicClient } from 'viem';
import { concatHex, size } from 'viem/utils';
import { ACCOUNT_SALT, encodeCreateAccount } from '../../../evm/accounts/account-address.js';
import type { AccountVersion } from '../../../evm/accounts/account-contracts.js';
import { estimateFees, limitFees, toMaxTip } from '../../../evm/estimation/estimate-fees.js';
import { estimatePreVerificationGas } from '../../../evm/estimation/estimate-pre-verification-gas.js';
import { loadAccountState } from '../../../evm/estimation/load-account-state.js';
import { packNonce, toMaxGasCost } from '../../../evm/operations/user-operation.js';
import type { BundlerGas } from '../bundler/bundler-client.service.js';
import type { PaymasterServicesService } from '../../../policies/sponsoring/paymaster-services.service.js';
import { checkFunds } from '../../../policies/sponsoring/check-funds.js';
import { estimatePaymaster } from '../../../policies/sponsoring/estimate-paymaster.js';
import { type AskBundler, estimateAtBundler, MAX_VERIFICATION_GAS } from '../bundler/estimate-at-bundler.js';
import { loadHead } from '../transactions/transaction-fees.js';
import { type ReplacedFees, toCancellationFees } from './cancellation-fees.js';

/** The nonce that a cancellation takes, and the account whose nonce it is. */
export interface CancelledNonce {
  readonly chainId: number;
  readonly version: AccountVersion;
  readonly sender: Address;
  readonly owner: Address;
  readonly nonceKey: bigint;
  readonly nonceSequence: bigint;
  readonly replaced: ReplacedFees;
  /** How many cancellations of the nonce were made before. */
  readonly earlierCancellations: number;
}

/** Everything of a cancellation but its nonce. */
export interface CancellationPlan {
  readonly deploysAccount: boolean;
  readonly callGasLimit: bigint;
  readonly verificationGasLimit: bigint;
  readonly preVerificationGas: bigint;
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
  readonly paymaster?: Address | undefined;
  readonly paymasterVerificationGasLimit?: bigint | undefined;
  readonly paymasterPostOpGasLimit?: bigint | undefined;
  /** What the operation may cost whoever pays for it, in wei. */
  readonly cost: bigint;
}

/** Gas limits of an operation without a call. */
const VERIFICATION_GAS = 150_000n;
const DEPLOYMENT_GAS = 600_000n;
/** Gas of a transaction with one cancellation, as measured: 61,687, and 219,991 where it deploys the account. */
const EXECUTOR_GAS = 65_000n;
const EXECUTOR_DEPLOYMENT_GAS = 225_000n;
/** Bytes of a transaction with one cancellation, beside its deployment and the data of its sponsor. */
const OTHER_BYTES = 900;
/**
 * What a bundler refuses for its gas limits it refuses for good, and formulas of bundlers differ by some hundred gas. Each cancellation of a
 * nonce has limits a tenth above those of the one before, up to 1.8 times of what is estimated.
 */
const RESERVE = { numerator: 11n, denominator: 10n };
const MAX_RESERVES = 6;

/**
 * Whether a cancellation has to deploy the account. Code in the newest block is enough to leave the deployment away: should a reorganisation
 * remove it, a further cancellation deploys. Code at the confirmation depth decides if the newest block is of a node that is behind.
 */
export async function mustDeploy(
  client: PublicClient,
  { sender, confirmations }: { readonly sender: Address; readonly confirmations: number },
): Promise<boolean> {
  const { number } = await loadHead(client);
  const depth = number - BigInt(confirmations) + 1n;
  const reads = [client.getCode({ address: sender })];
  if (depth >= 0n) reads.push(client.getCode({ address: sender, blockNumber: depth }));
  const codes = await Promise.all(reads);
  return codes.every((code) => code === undefined || code === '0x');
}

/** Own executors send cancellations without fees: the executor pays. */
export async function planForExecutor(
  client: PublicClient,
  deploysAccount: boolean,
): Promise<CancellationPlan> {
  const { maxFeePerGas } = await estimateFees(client);
  return {
    deploysAccount,
    callGasLimit: 0n,
    verificationGasLimit: deploysAccount ? DEPLOYMENT_GAS : VERIFICATION_GAS,
    preVerificationGas: 0n,
    maxFeePerGas: 0n,
    maxPriorityFeePerGas: 0n,
    cost: (deploysAccount ? EXECUTOR_DEPLOYMENT_GAS : EXECUTOR_GAS) * maxFeePerGas,
  };
}

interface BundlerPlanContext {
  readonly client: PublicClient;
  readonly services: PaymasterServicesService;
  readonly askBundler: AskBundler;
}

/**
 * Plans an operation that a bundler accepts in place of all others at its nonce.
 * @param paymaster without one the account pays
 * @throws AppError 409 `account_funds_required`, 503 `fees_too_high`, `sponsor_unavailable`, `bundler_estimate_refused`
 */
export async function planForBundler(
  { client, services, askBundler }: BundlerPlanContext,
  {
    chainId,
    version,
    sender,
    owner,
    nonceKey,
    nonceSequence,
    replaced,
    earlierCancellations,
  }: CancelledNonce,
  {
    deploysAccount,
    paymaster,
    maxFeePerGas,
  }: {
    readonly deploysAccount: boolean;
    readonly paymaster: Address | undefined;
    /** MAX_FEE_PER_GAS, which only replacements exceed, by 12 % at most. */
    readonly maxFeePerGas: bigint;
  },
): Promise<CancellationPlan> {
  const [state, estimate] = await Promise.all([
    loadAccountState(client, { sender, version, nonceKey }),
    estimateFees(client),
  ]);
  const now = limitFees(estimate, maxFeePerGas);
  const ceiling = { maxFeePerGas, maxPriorityFeePerGas: toMaxTip(estimate.baseFeePerGas) };
  const deployment = deploysAccount ? encodeCreateAccount({ owner, salt: ACCOUNT_SALT, version }) : undefined;
  const ownGas = {
    ...toCancellationFees(now, replaced, ceiling),
    callGasLimit: 0n,
    verificationGasLimit: deploysAccount ? DEPLOYMENT_GAS : VERIFICATION_GAS,
  };
  const nonce = packNonce({ key: nonceKey, sequence: nonceSequence });
  const operation = { sender, nonce, ...deployment, callData: '0x' as const, ...ownGas };
  const sponsored = paymaster && (await estimatePaymaster(services, { chainId, version, operation }));
  const data = [deployment ? concatHex(Object.values(deployment)) : '0x', sponsored?.stub ?? '0x'] as const;
  const leastGas = {
    ...ownGas,
    preVerificationGas: estimatePreVerificationGas(version, data),
    ...sponsored?.gas,
  };
  const payer = { version, paymaster, funds: state.funds, reserved: 0n };
  // A bundler would refuse to estimate what nobody can pay for.
  await checkFunds(client, payer, { gasCost: toMaxGasCost(leastGas), value: 0n });
  const estimated = {
    version,
    operation: { ...operation, ...leastGas },
    executedGas: 0n,
    isBehindOthers: nonceSequence !== state.nextSequence,
    gasPrice: estimate.baseFeePerGas + now.maxPriorityFeePerGas,
    bytes: BigInt(OTHER_BYTES + size(concatHex(data))),
    paymaster: sponsored && paymaster && { address: paymaster, data: sponsored.simulatedData },
  };
  const asked = await estimateAtBundler(client, askBundler, estimated).catch((failure: unknown) => {
    if (!isOfEstimate(failure)) throw failure;
    return estimateAtBundler(client, withoutBundler, estimated);
  });
  const gas = { ...leastGas, ...addReserve(asked, earlierCancellations) };
  const cost = toMaxGasCost(gas);
  await checkFunds(client, payer, { gasCost: cost, value: 0n });
  return { deploysAccount, ...gas, paymaster, cost };
}

/** A bundler that gives no estimate, or one above the ceilings, keeps no lane from being repaired: our own numbers with a margin are tried. */
const isOfEstimate = (failure: unknown): boolean =>
  failure instanceof AppError &&
  ['bundler_unavailable', 'bundler_estimate_refused'].includes(String(failure.details['code']));
const withoutBundler: AskBundler = () => Promise.resolve({ outcome: 'not_supported' });

function addReserve(asked: BundlerGas, earlierCancellations: number): BundlerGas {
  const reserves = BigInt(Math.min(1 + earlierCancellations, MAX_RESERVES));
  const raise = (gas: bigint) => (gas * RESERVE.numerator ** reserves) / RESERVE.denominator ** reserves;
  return {
    callGasLimit: raise(asked.callGasLimit),
    verificationGasLimit: min(raise(asked.verificationGasLimit), MAX_VERIFICATION_GAS),
    preVerificationGas: raise(asked.preVerificationGas),
  };
}

const min = (one: bigint, other: bigint): bigint => (one < other ? one : other);
