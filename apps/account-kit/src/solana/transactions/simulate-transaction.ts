import type { AppError } from '@app/common';
import { solanaPolicyForbidden, solanaTransactionInvalid } from '../messages/solana-message.errors.js';
import { SolanaNodeError, SolanaRequestError } from '../nodes/solana-node.errors.js';
import type { Simulation, SolanaNode } from '../nodes/solana-node.js';
import { sponsorUnavailable } from '../../policies/sponsoring/sponsoring.errors.js';
import { accountLamportsRequired, wouldRevert } from '../solana.errors.js';

/**
 * The attempts to simulate with the balance of the same block: other transactions of the same sponsor may land between
 * the two.
 */
const MAX_BALANCE_ATTEMPTS = 5;

/** Other transactions, or this one, may be the reason: the node is not worse than others for it. */
const OF_TRANSACTION = { isOfTransaction: true };

/** What a transaction may take from its account, with a fee that the account pays. */
interface AccountCost {
  /** The client application that has submitted it. */
  readonly clientId: string;
  readonly account: string;
  readonly lamports: bigint;
}

/** @throws AppError 400 for what a node cannot read, 409 `would_revert`, `account_funds_required` */
export async function simulateTransaction(
  node: SolanaNode,
  wire: Uint8Array,
  cost: AccountCost,
): Promise<void> {
  const { err, logs } = await simulate(node, wire, cost);
  if (isError(err)) throw await toRefusal(node, cost, { err, logs });
}

/**
 * Simulates a transaction and checks that its sponsor loses exactly the fee.
 * @returns the lamports of the sponsor, of which transactions in flight are not taken off
 * @throws AppError 400, 409 `would_revert`, `account_funds_required`, 403 if the sponsor loses another amount, 503 `sponsor_unavailable`
 */
export async function simulateSponsored(
  node: SolanaNode,
  wire: Uint8Array,
  { sponsor, fee, ...cost }: AccountCost & { readonly sponsor: string; readonly fee: bigint },
): Promise<bigint> {
  for (let attempt = 0; attempt < MAX_BALANCE_ATTEMPTS; attempt += 1) {
    const before = await node.getLamports(sponsor);
    const { err, logs, accounts } = await simulate(node, wire, cost, [sponsor]);
    if (isError(err))
      throw isPayerPoor(err) ? sponsorUnavailable() : await toRefusal(node, cost, { err, logs });
    const after = accounts?.[0]?.lamports;
    if (after === undefined)
      throw new SolanaNodeError('the simulation has no balance of the sponsor', OF_TRANSACTION);
    if (before - after === fee) return before;
    if ((await node.getLamports(sponsor)) === before)
      throw solanaPolicyForbidden(`the sponsor would lose ${before - after} lamports, not the fee of ${fee}`);
  }
  throw new SolanaNodeError('the balance of the sponsor does not keep still', OF_TRANSACTION);
}

async function simulate(
  node: SolanaNode,
  wire: Uint8Array,
  { clientId }: AccountCost,
  observed: readonly string[] = [],
): Promise<Simulation> {
  try {
    return await node.simulate(clientId, wire, observed);
  } catch (error) {
    if (!(error instanceof SolanaRequestError)) throw error;
    throw solanaTransactionInvalid('nodes of the network cannot read it');
  }
}

/** A transfer of more than the account has fails with a number of the program, which tells the caller nothing. */
async function toRefusal(
  node: SolanaNode,
  { account, lamports }: AccountCost,
  { err, logs }: Pick<Simulation, 'err' | 'logs'>,
): Promise<AppError> {
  if (isPayerPoor(err) || isInstructionError(err)) {
    const available = await node.getLamports(account);
    if (lamports > available) return accountLamportsRequired({ required: lamports, available });
  }
  return wouldRevert(err, logs ?? []);
}

const isInstructionError = (err: unknown): boolean =>
  typeof err === 'object' && err !== null && 'InstructionError' in err;

const isError = (err: unknown): boolean => err !== null && err !== undefined;

/** Errors about the fee payer, which comes first: https://docs.rs/solana-transaction-error */
const isPayerPoor = (err: unknown): boolean =>
  err === 'AccountNotFound' ||
  err === 'InsufficientFundsForFee' ||
  JSON.stringify(err) === '{"InsufficientFundsForRent":{"account_index":0}}';
