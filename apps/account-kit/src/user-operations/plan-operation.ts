import { randomUUID } from 'node:crypto';
import { AppError } from '@app/common';
import type { SmartAccount } from '../custody/accounts/smart-accounts.queries.js';
import { ACCOUNT_SALT, encodeCreateAccount } from '../evm/accounts/account-address.js';
import { estimateFees, limitFees } from '../evm/estimation/estimate-fees.js';
import { TRANSACTION_GAS } from '../evm/estimation/gas-costs.js';
import {
  estimatePreVerificationGas,
  toTransactionBytes,
} from '../evm/estimation/estimate-pre-verification-gas.js';
import { type AccountState, loadAccountState } from '../evm/estimation/load-account-state.js';
import { feesTooHigh, operationTooLarge } from '../evm/estimation/estimation.errors.js';
import { mintNotSupported } from '../evm/nodes/evm.errors.js';
import { simulateCall } from '../evm/estimation/simulate-call.js';
import { type AccountCall, encodeExecute, decodeExecute } from '../evm/operations/encode-execute.js';
import { packNonce, toMaxGasCost, type GasLimits } from '../evm/operations/user-operation.js';
import type { PaymasterServicesService } from '../policies/sponsoring/paymaster-services.service.js';
import type { Address, PublicClient, Hex } from 'viem';
import { concatHex, slice } from 'viem/utils';
import { PAYMASTER_DATA_OFFSET } from '../evm/operations/paymaster-data.js';
import { measureOperation } from '../limits/measure-operation.js';
import type { CappedUse } from '../limits/cap.js';
import { findLimitOfOperation, toBundleLimits, toGasAlone } from './execution/bundles/bundle-limits.js';
import { toRequiredFee } from './execution/transactions/transaction-fees.js';
import { policyForbidden } from '../policies/rules/policies.errors.js';
import type { OperationLimits } from '../policies/rules/policy.js';
import type { RequestDeadline } from '../request-deadline.js';
import { type AskBundler, estimateAtBundler } from './execution/bundler/estimate-at-bundler.js';
import { checkAccountFunds, checkFunds } from '../policies/sponsoring/check-funds.js';
import { estimatePaymaster } from '../policies/sponsoring/estimate-paymaster.js';
import { accountDeploying } from './user-operations.errors.js';
import type { OperationKind } from '@app/dto';
import type { NewOperation, UnfinishedOperation } from './user-operations.queries.js';
import type { AccountVersion } from '../evm/accounts/account-contracts.js';

export interface OperationRequest {
  readonly account: SmartAccount;
  readonly clientId: string;
  readonly kind: OperationKind;
  readonly chainId: number;
  readonly nonceKey: bigint;
  readonly limits: OperationLimits;
  /** Pays for the gas; without one the account does. */
  readonly paymaster: Address | undefined;
  /** Depends on the id of the operation where a call must differ from operation to operation. */
  readonly createCalls: (operationId: string) => readonly AccountCall[];
  /** JSON by which a repeated request with the same idempotency key is recognised. */
  readonly content: unknown;
  readonly deadline: RequestDeadline;
  /** Stored with the operation, as JSON. */
  readonly details?: unknown;
}

/** An operation without its nonce, the account's nonce on the chain, and what may be used of caps. */
export interface OperationPlan {
  readonly operation: Omit<NewOperation, 'nonceSequence'>;
  readonly state: AccountState;
  readonly uses: readonly CappedUse[];
  /** What the calls send, in wei. */
  readonly value: bigint;
}

/** SimpleAccount checks one signature; the factory deploys a proxy and initializes it. */
const VERIFICATION_GAS = 100_000n;
const DEPLOYMENT_GAS = 300_000n;
/** A quarter more than simulated covers refunds and the 63/64 of EIP-150; the rest the account's own call. */
const CALL_GAS_MARGIN = { numerator: 5n, denominator: 4n, added: 20_000n };

/** The services and limits of a chain with which an operation is planned. */
interface PlanContext {
  readonly client: PublicClient;
  readonly services: PaymasterServicesService;
  /** The fee per gas in wei, tip included. */
  readonly maxFeePerGas: bigint;
  /** The gas of one transaction. */
  readonly maxTransactionGas: number;
  /** EXECUTOR_TX_FEE_CAP in wei; unset where a bundler sends the operations of the chain. */
  readonly maxTransactionCost: bigint | undefined;
  readonly canMint: boolean;
  /** Set where a bundler sends the operations of the chain. */
  readonly askBundler: AskBundler | undefined;
}

/**
 * Estimates an operation in the latest block, after the unfinished operations of its lane.
 * @param unfinished the account's operations on the chain that may still be included
 * @throws AppError 400 `mint_not_supported`, 403 `policy_forbidden`, 409 `would_revert`, `account_deploying`, `account_funds_required`, `operation_too_large`, 503
 *   `sponsor_unavailable`, `fees_too_high`, `bundler_estimate_refused`, `bundler_unavailable`
 */
export async function planOperation(
  { client, services, maxFeePerGas, maxTransactionGas, maxTransactionCost, canMint, askBundler }: PlanContext,
  { account, clientId, kind, chainId, nonceKey, limits, paymaster, createCalls, details }: OperationRequest,
  unfinished: readonly UnfinishedOperation[],
): Promise<OperationPlan> {
  const { accountVersion: version, evmAddress: sender, signerAddress: owner } = account;
  if (kind === 'mint' && !canMint) throw mintNotSupported(chainId);
  const state = await loadAccountState(client, { sender, version, nonceKey });
  if (!state.isDeployed && unfinished.length > 0) throw accountDeploying();
  const id = randomUUID();
  const calls = createCalls(id);
  const callData = encodeExecute(version, calls);
  const before = unfinished.filter(
    (one) => one.nonceKey === nonceKey && one.nonceSequence >= state.nextSequence,
  );
  const expected = before.filter((one) => !one.isGivenUp);
  const pending = expected.map((one) => one.callData);
  const value = calls.reduce((sum, call) => sum + call.value, 0n);
  const reserved = sumReservedFunds(unfinished, { nonceKey, nextSequence: state.nextSequence });
  const [gasUsed, estimate] = await Promise.all([
    simulateCall(client, { owner, sender, version, isDeployed: state.isDeployed, pending, callData }).catch(
      (error: unknown) => {
        // A call that sends more than the account has reverts without data, which tells the caller nothing.
        if (error instanceof AppError && error.details['code'] === 'would_revert')
          checkAccountFunds(
            { funds: state.funds, reserved: expected.reduce((sum, one) => sum + sumValue(one), reserved) },
            value,
          );
        throw error;
      },
    ),
    estimateFees(client),
  ]);
  const deployment = state.isDeployed
    ? undefined
    : encodeCreateAccount({ owner, salt: ACCOUNT_SALT, version });
  const ownGas = {
    ...limitFees(estimate, maxFeePerGas),
    callGasLimit: toCallGasLimit(gasUsed),
    verificationGasLimit: VERIFICATION_GAS + (state.isDeployed ? 0n : DEPLOYMENT_GAS),
  };
  const nonce = packNonce({ key: nonceKey, sequence: state.nextSequence + BigInt(before.length) });
  const operation = { sender, nonce, ...deployment, callData, ...ownGas };
  const sponsored = paymaster && (await estimatePaymaster(services, { chainId, version, operation }));
  const data = [
    callData,
    deployment ? concatHex(Object.values(deployment)) : '0x',
    sponsored?.stub ?? '0x',
  ] as const;
  const withoutBundler = {
    ...ownGas,
    preVerificationGas: estimatePreVerificationGas(version, data),
    ...sponsored?.gas,
  };
  const payer = { version, paymaster, funds: state.funds, reserved };
  // A bundler would refuse to estimate what nobody can pay for, and does not say so in a common form.
  if (askBundler) await checkFunds(client, payer, { gasCost: toMaxGasCost(withoutBundler), value });
  const gasAtBundler =
    askBundler &&
    (await estimateAtBundler(client, askBundler, {
      version,
      operation: { ...operation, ...withoutBundler },
      executedGas: gasUsed - TRANSACTION_GAS,
      isBehindOthers: before.length > 0,
      gasPrice: estimate.baseFeePerGas + ownGas.maxPriorityFeePerGas,
      bytes: toTransactionBytes(data),
      paymaster: sponsored && paymaster && { address: paymaster, data: sponsored.simulatedData },
    }));
  const gas = { ...withoutBundler, ...gasAtBundler };
  const planned = {
    ...{ ...operation, ...gas },
    ...(sponsored && paymaster && { paymaster, paymasterData: slice(sponsored.stub, PAYMASTER_DATA_OFFSET) }),
  };
  const exceeded = findLimitOfOperation(planned, toBundleLimits(maxTransactionGas, estimate.blockGasLimit));
  if (exceeded) throw operationTooLarge(exceeded);
  const transactionCost = toGasAlone(planned) * toRequiredFee(estimate, estimate.baseFeePerGas);
  if (maxTransactionCost !== undefined && transactionCost > maxTransactionCost)
    throw feesTooHigh({ required: transactionCost, allowed: maxTransactionCost });
  const maxGasCost = toMaxGasCost(gas);
  if (limits.maxGasCost !== undefined && maxGasCost > limits.maxGasCost)
    throw policyForbidden(
      `its gas may cost ${maxGasCost} wei, and that of an operation may cost ${limits.maxGasCost}`,
    );
  await checkFunds(client, payer, { gasCost: maxGasCost, value });
  return {
    operation: {
      id,
      accountId: account.id,
      clientId,
      kind,
      chainId,
      nonceKey,
      accountVersion: version,
      sender,
      deploysAccount: !state.isDeployed,
      callData,
      ...gas,
      paymaster,
      details,
    },
    state,
    value,
    uses: measureOperation(limits.caps, { chainId, isMint: kind === 'mint', calls, maxGasCost }),
  };
}

const toCallGasLimit = (gasUsed: bigint): bigint =>
  ((gasUsed - TRANSACTION_GAS) * CALL_GAS_MARGIN.numerator) / CALL_GAS_MARGIN.denominator +
  CALL_GAS_MARGIN.added;

/** An operation of the account that the chain does not show yet. */
interface ReservingOperation extends GasLimits {
  readonly nonceKey: bigint;
  readonly nonceSequence: bigint;
  readonly version: AccountVersion;
  readonly callData: Hex;
  readonly paymaster: string | null;
  readonly isGivenUp: boolean;
}

/**
 * The most that unfinished operations of an account may take from it before the next operation of a lane, in wei: gas, unless a sponsor pays,
 * and what the calls of other lanes send. An operation that is given up is expected to be cancelled. What the calls of its own lane send, the simulation of the next operation has sent before.
 * @param lane `nextSequence` is what the EntryPoint expects: earlier operations of the lane are paid
 */
function sumReservedFunds(
  unfinished: readonly ReservingOperation[],
  lane: { readonly nonceKey: bigint; readonly nextSequence: bigint },
): bigint {
  return unfinished.reduce((sum, operation) => {
    const isOwnLane = operation.nonceKey === lane.nonceKey;
    if (operation.isGivenUp || (isOwnLane && operation.nonceSequence < lane.nextSequence)) return sum;
    const gas = operation.paymaster === null ? toMaxGasCost(operation) : 0n;
    return sum + gas + (isOwnLane ? 0n : sumValue(operation));
  }, 0n);
}

/** What the calls of an operation send, in wei. */
const sumValue = ({ version, callData }: Pick<ReservingOperation, 'version' | 'callData'>): bigint =>
  decodeExecute(version, callData).reduce((sum, { value }) => sum + value, 0n);
