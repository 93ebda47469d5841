import { AppError } from '@app/common';
import type { Address } from 'viem';
import { toCapKey, type CappedUse } from '../../limits/cap.js';
import { measureOperation } from '../../limits/measure-operation.js';
import { measureTransaction } from '../../limits/measure-transaction.js';
import { type AccountCall, decodeExecute, encodeExecute } from '../../evm/operations/encode-execute.js';
import { toMaxGasCost } from '../../evm/operations/user-operation.js';
import type { FeeCeilings } from '../../evm/estimation/fee-ceilings.config.js';
import { MAX_TRANSACTION_GAS } from '../../evm/estimation/gas-costs.js';
import { checkTargets } from '../../policies/rules/check-targets.js';
import { DETERMINISTIC_DEPLOYER } from '../../evm/accounts/account-contracts.js';
import { judgeCalls } from '../../policies/rules/judge-calls.js';
import { judgeEffects } from '../../policies/rules/judge-effects.js';
import { policyForbidden } from '../../policies/rules/policies.errors.js';
import type { Policy } from '../../policies/rules/policy.js';
import { judgeTransaction, type JudgeOptions } from '../../solana/messages/judgement/judge-transaction.js';
import { isUnresolved, listKeysWithoutTables } from '../../solana/messages/transaction/resolve-keys.js';
import type { SolanaTransaction } from '../../solana/messages/transaction/solana-transaction.js';
import type { OperationToSign } from './load-operation-to-sign.js';
import type { TransactionToSign } from './load-transaction-to-sign.js';
import { RefusedToSignError } from '../key-vault.errors.js';

/** What the deployment lets accounts do. */
export interface DeploymentRules {
  /** The policy of client applications that have none. */
  readonly defaultPolicy: 'deny' | 'open';
  /** Solana programs that may be called beside those whose instructions are decoded. */
  readonly listedPrograms: ReadonlySet<string>;
  /** MAX_FEE_PER_GAS_<chainId> */
  readonly feeCeilings: FeeCeilings;
}

/**
 * Judges a stored operation by the policy of now, as it was judged when it was accepted, so that a row which did not pass there is not
 * signed. It has reserved all that it may use of each cap.
 * @param own addresses of the paymasters and the executors, which no account may call
 * @throws RefusedToSignError
 */
export function judgeOperation(row: OperationToSign, rules: DeploymentRules, own: readonly Address[]): void {
  checkGasCost(row, rules);
  if (row.kind === 'cancellation') {
    checkCancellation(row);
    return;
  }
  const isMint = row.kind === 'mint';
  const calls = decodeCalls(row);
  const { chainId, sender, reserved } = row;
  if (isMint) checkMint(calls);
  else
    refuseForbidden(() => {
      checkTargets(calls, [sender, ...own]);
    });
  const policy = findPolicy(row, rules);
  if (policy === 'open') return;
  if (!isMint)
    refuseForbidden(() => {
      judgeCalls(policy, chainId, calls);
    });
  else if (!policy.mintChains.includes(chainId)) throw forbid(`the policy has no mints on chain ${chainId}`);
  if (!isMint && row.paymaster !== null && !policy.sponsoredChains.includes(chainId))
    throw forbid(`the policy has no sponsor on chain ${chainId}`);
  const maxGasCost = toMaxGasCost(row);
  if (policy.maxGasCost !== undefined && maxGasCost > policy.maxGasCost)
    throw forbid(`the gas may cost ${maxGasCost} wei, more than the policy allows`);
  checkReserved(measureOperation(policy.caps, { chainId, isMint, calls, maxGasCost }), reserved);
}

/**
 * Judges a stored transaction by the policy of now, as far as its message tells what it does. What only nodes know was judged when it was
 * accepted: entries of address lookup tables, and the mints of token accounts.
 * @throws RefusedToSignError
 */
export function judgeStoredTransaction(
  row: TransactionToSign,
  transaction: SolanaTransaction,
  {
    account,
    sponsor,
    rules,
  }: Pick<JudgeOptions, 'account' | 'sponsor'> & { readonly rules: DeploymentRules },
): void {
  const { network, reserved } = row;
  const { listedPrograms } = rules;
  const keys = listKeysWithoutTables(transaction);
  const { feePayer, fee, spends, opaquePrograms } = refuseForbidden(() =>
    judgeTransaction(transaction, keys, { account, sponsor, listedPrograms }),
  );
  const policy = findPolicy(row, rules);
  if (policy === 'open') return;
  if (!policy.solanaNetworks.includes(network)) throw forbid(`the policy has no transactions on ${network}`);
  if (feePayer === 'sponsor' && !policy.sponsoredNetworks.includes(network))
    throw forbid(`the policy has no sponsor on ${network}`);
  const [ownFee, sponsoredFee] = feePayer === 'sponsor' ? [0n, fee] : [fee, 0n];
  let lamports = ownFee;
  const tokens = new Map<string, bigint>();
  for (const spend of spends)
    if (spend.kind === 'lamports') lamports += spend.lamports;
    else if (spend.mint !== undefined && !isUnresolved(spend.mint))
      tokens.set(spend.mint, (tokens.get(spend.mint) ?? 0n) + spend.amount);
  refuseForbidden(() => {
    judgeEffects(policy, network, { lamports, tokens, opaquePrograms });
  });
  checkReserved(
    measureTransaction(policy.caps, { network, fee: ownFee, sponsoredFee, lamports, tokens }),
    reserved,
  );
}

function findPolicy(
  { policy }: Pick<OperationToSign, 'policy'>,
  { defaultPolicy }: DeploymentRules,
): Policy | 'open' {
  if (policy) return policy;
  if (defaultPolicy === 'open') return 'open';
  throw forbid('the client application has no policy');
}

/** Decodes the calls, which the account decodes from the same bytes only if they are what the service encodes. */
function decodeCalls({ version, callData }: OperationToSign): readonly AccountCall[] {
  try {
    const calls = decodeExecute(version, callData);
    if (encodeExecute(version, calls) === callData) return calls;
  } catch {
    // viem throws errors of many types for other bytes.
  }
  throw forbid('the operation is no canonical call of the account');
}

/** A mint deploys a token by one call, and no other operation calls the deployer. */
function checkMint(calls: readonly AccountCall[]): void {
  const isMint = calls.length === 1 && calls[0]?.target === DETERMINISTIC_DEPLOYER && calls[0].value === 0n;
  if (!isMint) throw forbid('the mint calls something else than the deployer');
}

/**
 * The gas of an operation costs no more than a full transaction at the fee ceiling of its chain, whatever the policy is and also for
 * cancellations, which no policy refuses: the process that asks parses requests, and could otherwise spend the deposit of a paymaster by
 * one operation. A cancellation may have fees 12 % above the ceiling, and less than a fifth of that gas.
 */
function checkGasCost(row: OperationToSign, { feeCeilings }: DeploymentRules): void {
  const allowed = BigInt(MAX_TRANSACTION_GAS) * feeCeilings(row.chainId);
  const cost = toMaxGasCost(row);
  if (cost > allowed)
    throw new RefusedToSignError(
      `the gas may cost ${cost} wei, above ${allowed} (MAX_FEE_PER_GAS for ${MAX_TRANSACTION_GAS} gas)`,
    );
}

/**
 * A cancellation calls nothing, and no policy refuses it. Where it has reserved gas, its gas fits into that: a cancellation that the service
 * makes is counted, and never refused by a cap.
 */
function checkCancellation(row: OperationToSign): void {
  const { callData, chainId, policy, reserved } = row;
  if (callData !== '0x') throw forbid('the cancellation calls something');
  if (!policy || !reserved) return;
  const uses = measureOperation(policy.caps, {
    chainId,
    isMint: false,
    calls: [],
    maxGasCost: toMaxGasCost(row),
  });
  checkReserved(
    uses.filter(({ cap }) => toCapKey(cap) in reserved),
    reserved,
  );
}

function checkReserved(uses: readonly CappedUse[], reserved: OperationToSign['reserved']): void {
  for (const { cap, amount } of uses)
    if ((reserved?.[toCapKey(cap)] ?? 0n) < amount)
      throw forbid(`the operation has not reserved what it may use of ${toCapKey(cap)}`);
}

/** A refusal by the policy of now: callers get it as 403 `policy_forbidden`. */
const forbid = (reason: string): RefusedToSignError =>
  new RefusedToSignError(reason, policyForbidden(reason));

/** @returns what the check returns @throws RefusedToSignError for what it answers callers with */
export function refuseForbidden<T>(check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new RefusedToSignError(error.message, error);
  }
}
