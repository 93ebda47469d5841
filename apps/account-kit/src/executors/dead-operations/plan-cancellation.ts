import type { Address, PublicClient } from 'viem';
import { concatHex, size } from 'viem/utils';
import { ACCOUNT_SALT } from '../../evm/accounts/account-address.js';
import type { AccountVersion } from '../../evm/accounts/account-contracts.js';
import { encodeCreateAccount } from '../../evm/accounts/encode-create-account.js';
import { estimateFees, limitFees } from '../../evm/estimation/estimate-fees.js';
import { estimateL1Gas } from '../../evm/estimation/estimate-l1-gas.js';
import { estimatePreVerificationGas } from '../../evm/estimation/estimate-pre-verification-gas.js';
import { loadAccountState } from '../../evm/estimation/load-account-state.js';
import { toMaxGasCost } from '../../evm/operations/to-max-gas-cost.js';
import { packNonce } from '../../evm/operations/user-operation.js';
import type { PaymasterServicesService } from '../../sponsoring/paymaster-services.service.js';
import { checkFunds } from '../../sponsoring/check-funds.js';
import { estimatePaymaster } from '../../sponsoring/estimate-paymaster.js';
import { loadHead } from '../transactions/load-head.js';

/** The nonce that a cancellation takes, and the account whose nonce it is. */
export interface CancelledNonce {
  readonly chainId: number;
  readonly version: AccountVersion;
  readonly sender: Address;
  readonly owner: Address;
  readonly nonceKey: bigint;
  readonly nonceSequence: bigint;
  /** The highest fees that were signed for the nonce. */
  readonly dearest: { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint };
}

/** Everything of a cancellation but its nonce. */
export interface CancellationPlan {
  readonly deploysAccount: boolean;
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
/** Bundlers replace an operation when both fees are 10 % higher (ERC-7769); 12 % leaves room for how they round. */
const REPLACEMENT_PERCENT = 112n;
/** What a bundler refuses for its `preVerificationGas` it refuses for good, and formulas of bundlers differ by some hundred gas. */
const PRE_VERIFICATION_PERCENT = 110n;

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
    verificationGasLimit: deploysAccount ? DEPLOYMENT_GAS : VERIFICATION_GAS,
    preVerificationGas: 0n,
    maxFeePerGas: 0n,
    maxPriorityFeePerGas: 0n,
    cost: (deploysAccount ? EXECUTOR_DEPLOYMENT_GAS : EXECUTOR_GAS) * maxFeePerGas,
  };
}

/**
 * Plans an operation that a bundler accepts in place of all others at its nonce.
 * @param paymaster without one the account pays
 * @throws AppError 409 `account_funds_required`, 503 `fees_too_high`, `sponsor_unavailable`
 */
export async function planForBundler(
  { client, services }: { readonly client: PublicClient; readonly services: PaymasterServicesService },
  { chainId, version, sender, owner, nonceKey, nonceSequence, dearest }: CancelledNonce,
  {
    deploysAccount,
    paymaster,
    maxFeePerGas,
  }: {
    readonly deploysAccount: boolean;
    readonly paymaster: Address | undefined;
    /** MAX_FEE_PER_GAS: only what replaces a dearer operation may exceed it. */
    readonly maxFeePerGas: bigint;
  },
): Promise<CancellationPlan> {
  const [state, estimate] = await Promise.all([
    loadAccountState(client, { sender, version, nonceKey }),
    estimateFees(client),
  ]);
  const now = limitFees(estimate, maxFeePerGas);
  const deployment = deploysAccount ? encodeCreateAccount({ owner, salt: ACCOUNT_SALT, version }) : undefined;
  const ownGas = {
    maxFeePerGas: max(now.maxFeePerGas, toReplacement(dearest.maxFeePerGas)),
    maxPriorityFeePerGas: max(now.maxPriorityFeePerGas, toReplacement(dearest.maxPriorityFeePerGas)),
    callGasLimit: 0n,
    verificationGasLimit: deploysAccount ? DEPLOYMENT_GAS : VERIFICATION_GAS,
  };
  const nonce = packNonce({ key: nonceKey, sequence: nonceSequence });
  const operation = { sender, nonce, ...deployment, callData: '0x' as const, ...ownGas };
  const sponsored = paymaster && (await estimatePaymaster(services, { chainId, version, operation }));
  const data = [deployment ? concatHex(Object.values(deployment)) : '0x', sponsored?.stub ?? '0x'] as const;
  const gasPrice = estimate.baseFeePerGas + now.maxPriorityFeePerGas;
  const bytes = BigInt(OTHER_BYTES + size(concatHex(data)));
  const leastPreVerificationGas =
    estimatePreVerificationGas(version, data) + (await estimateL1Gas(client, { bytes, gasPrice }));
  const gas = {
    ...ownGas,
    preVerificationGas: (leastPreVerificationGas * PRE_VERIFICATION_PERCENT) / 100n,
    ...sponsored?.gas,
  };
  const cost = toMaxGasCost(gas);
  await checkFunds(client, { version, paymaster, funds: state.funds }, { gasCost: cost, value: 0n });
  return { deploysAccount, ...gas, paymaster, cost };
}

const toReplacement = (fee: bigint): bigint => (fee * REPLACEMENT_PERCENT + 99n) / 100n;
const max = (one: bigint, other: bigint): bigint => (one > other ? one : other);
