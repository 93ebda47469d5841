import { SECOND_MS } from '@app/common';
import type { Address, PublicClient } from 'viem';
import { keccak256 } from 'viem/utils';
import { ACCOUNT_CONTRACTS } from '../../evm/accounts/account-contracts.js';
import { isMethodMissing } from '../../evm/nodes/is-method-missing.js';
import type { ChainLease } from '../leases/chain-lease.repository.js';
import type { SignerClient } from '../../key-vault/signer-client.js';
import {
  BundleConflictError,
  type ExecutorTransactionRepository,
} from '../transactions/executor-transaction.repository.js';
import { loadHead } from '../transactions/load-head.js';
import {
  chooseFees,
  type FeeLimitSettings,
  loadTransactionFees,
  toFeeLimit,
  toPaidFees,
} from '../transactions/transaction-fees.js';
import type { TransactionTracker } from '../transactions/transaction-tracker.js';
import type { ClaimedOperation } from './claimed-operation.js';
import type { OperationClaimRepository } from './operation-claim.repository.js';
import { type BundleLimits, toBundleLimits } from './bundle-limits.js';
import { holdUnsendable, selectBundle } from './select-bundle.js';
import { type PendingBundle, simulateBundle, type SimulatedBundle } from './simulate-bundle.js';

/** Transactions of one executor that wait to be mined, and their gas limits in sum: nodes bound what one simulation may use. */
const MAX_PENDING = 8;
const MAX_PENDING_GAS = 80_000_000n;
/** Claims of one look. The same loop follows transactions and inclusions, which thousands of operations that wait must not keep from that. */
const MAX_ROUNDS = 5;
/** Pause of operations whose bundle could not be made, for instance because no node answered. */
const RETRY_MS = 1_000;

/** Operations that go alone leave this many transactions of the executor to others. */
const MAX_PENDING_ALONE = MAX_PENDING / 2;
/** Pause of operations that fit into no transaction or pay less than a block costs: about a block of Ethereum. */
const HOLD_MS = 12 * SECOND_MS;

export interface BundleSettings extends FeeLimitSettings {
  /** EXECUTOR_BUNDLE_GAS */
  readonly bundleGas: number;
}

/** Puts signed operations into transactions of an executor, stores them and sends them. */
export class BundleSender {
  /** Whether nodes can simulate a bundle after pending ones. Otherwise an account waits until its transactions are mined. */
  private canFollow = true;

  constructor(
    private readonly claims: OperationClaimRepository,
    private readonly transactions: ExecutorTransactionRepository,
    private readonly tracker: TransactionTracker,
    private readonly signer: SignerClient,
    private readonly settings: BundleSettings,
  ) {}

  /**
   * Sends until nothing is due, too much is pending, or the rounds of one look are over.
   * @param sent transactions of the executor that wait to be mined
   * @returns how many transactions were stored
   */
  async sendDue(client: PublicClient, lease: ChainLease, sent: readonly PendingBundle[]): Promise<number> {
    const flight: Flight = { pending: [...sent], payers: new Set() };
    for (let round = 0; round < MAX_ROUNDS && hasRoom(flight.pending); round += 1) {
      const claimed = await this.claims.claim(lease.chainId, this.canFollow ? toExecutor(lease) : undefined);
      if (claimed.length === 0) break;
      const { gasLimit, baseFeePerGas } = await loadHead(client);
      const limits = toBundleLimits(this.settings.bundleGas, gasLimit);
      const baseFee = baseFeePerGas ?? 0n;
      const current = await loadTransactionFees(client, baseFee);
      const { maxFeePerGas } = this.settings;
      const { held, waiting, fitting } = holdUnsendable(claimed, { limits, current, baseFee, maxFeePerGas });
      await this.claims.hold(held, HOLD_MS);
      await this.claims.release(waiting.map(({ id }) => id));
      await this.sendClaimed({ client, lease, limits, flight, maxFeePerGas: current.maxFeePerGas }, fitting);
    }
    return flight.pending.length - sent.length;
  }

  private async sendClaimed(round: SendingRound, claimed: readonly ClaimedOperation[]): Promise<void> {
    let open = claimed;
    try {
      for (const group of toGroups(claimed)) {
        const max = group[0]?.goesAlone === true ? MAX_PENDING_ALONE : MAX_PENDING;
        let rest = group;
        while (rest.length > 0 && hasRoom(round.flight.pending, max)) {
          const { bundle, rest: others } = selectBundle(rest, round.limits);
          const waiting = await this.sendBundle(round, bundle);
          // What comes after these in their lanes is claimed again.
          const lanes = new Set(bundle.map(({ lane }) => lane));
          const later = others.filter(({ lane }) => lanes.has(lane));
          await this.claims.release([...waiting, ...later].map(({ id }) => id));
          rest = others.filter(({ lane }) => !lanes.has(lane));
          open = open.filter((one) => !bundle.includes(one) && !later.includes(one));
        }
      }
      // Operations that go alone do not fill all transactions of the executor, and wait although it has room.
      const alone = open.filter(({ goesAlone }) => goesAlone);
      await this.claims.release(
        alone.map(({ id }) => id),
        RETRY_MS,
      );
      await this.claims.release(open.filter((one) => !alone.includes(one)).map(({ id }) => id));
    } catch (error) {
      const isUnsupported = isMethodMissing(error);
      await this.claims.release(
        open.map(({ id }) => id),
        isUnsupported ? 0 : RETRY_MS,
      );
      if (!isUnsupported) throw error;
      this.canFollow = false;
    }
  }

  /** @returns the operations that are left to a later bundle */
  private async sendBundle(
    { client, lease, flight, maxFeePerGas }: SendingRound,
    claimed: readonly ClaimedOperation[],
  ): Promise<readonly ClaimedOperation[]> {
    const { operations, refused } = await this.confirm(claimed, flight);
    if (operations.length === 0) return refused;
    const state = { executor: toExecutor(lease), pending: flight.pending, maxFeePerGas };
    const { bundle, failed, waiting } = await simulateBundle(client, state, operations);
    await this.claims.postponeAll(failed);
    const left = [...refused, ...waiting];
    if (!bundle) return left;
    let isRefused;
    try {
      isRefused = await this.storeAndSend(client, lease, bundle);
    } catch (error) {
      if (!(error instanceof BundleConflictError)) throw error;
      return [...bundle.operations, ...left];
    }
    const { entryPoint } = ACCOUNT_CONTRACTS[bundle.version];
    // What no node has is executed before nothing.
    if (!isRefused) flight.pending.push({ entryPoint, data: bundle.data, gas: bundle.gas });
    for (const payer of bundle.operations.flatMap(toPayers)) flight.payers.add(payer);
    return left;
  }

  /** Signed bytes leave with the simulation, so it begins with another look at freezes and cancellations. */
  private async confirm(
    claimed: readonly ClaimedOperation[],
    flight: Flight,
  ): Promise<{ operations: ClaimedOperation[]; refused: ClaimedOperation[] }> {
    const confirmed = await this.claims.confirm(claimed.map(({ id }) => id));
    const operations: ClaimedOperation[] = [];
    const refused: ClaimedOperation[] = [];
    const blockedLanes = new Set<string>();
    for (const operation of claimed) {
      const followsPending =
        operation.followsPending || toPayers(operation).some((one) => flight.payers.has(one));
      const isReady = confirmed.has(operation.id) && (this.canFollow || !followsPending);
      if (isReady && !blockedLanes.has(operation.lane)) operations.push({ ...operation, followsPending });
      else {
        blockedLanes.add(operation.lane);
        refused.push(operation);
      }
    }
    return { operations, refused };
  }

  /** @returns whether every node refuses the transaction */
  private async storeAndSend(
    client: PublicClient,
    lease: ChainLease,
    { version, operations, data, gas }: SimulatedBundle,
  ): Promise<boolean> {
    const executor = toExecutor(lease);
    const [head, used, next] = await Promise.all([
      client.getBlock({ blockTag: 'latest' }),
      client.getTransactionCount({ address: executor }),
      this.transactions.findNextNonce(lease),
    ]);
    const nonce = Math.max(used, next);
    const baseFee = head.baseFeePerGas ?? 0n;
    const paid = toPaidFees(
      operations.filter(({ isCancellation }) => !isCancellation).map(({ operation }) => operation),
    );
    const limit = toFeeLimit(paid, gas, this.settings);
    const fees = chooseFees(await loadTransactionFees(client, baseFee), limit, baseFee);
    const { entryPoint } = ACCOUNT_CONTRACTS[version];
    const request = { executor, chainId: lease.chainId, nonce, entryPoint, data, gas, ...fees };
    const raw = await this.signer.signExecutorTransaction(request);
    const variant = { raw, hash: keccak256(raw), blockNumber: head.number, ...fees };
    const id = await this.transactions.insert(lease, {
      nonce,
      entryPoint,
      data,
      gas,
      operationIds: operations.map(({ id }) => id),
      variant,
    });
    return this.tracker.sendFirst({ client, head, lease }, id, { ...variant, number: 1, isEmpty: false });
  }
}

const toExecutor = ({ name }: ChainLease): Address => name as Address;

/** What the bundles of one claim have in common. */
interface SendingRound {
  readonly client: PublicClient;
  readonly lease: ChainLease;
  readonly limits: BundleLimits;
  readonly flight: Flight;
  /** What a unit of gas may cost when the transactions are mined. */
  readonly maxFeePerGas: bigint;
}

/** What the executor has sent that waits to be mined. */
interface Flight {
  readonly pending: PendingBundle[];
  /** Accounts and paymasters of the transactions that were sent since the last claim began. */
  readonly payers: Set<string>;
}

/** The accounts and contracts on whose balances an operation depends. */
const toPayers = ({ accountId, operation: { paymaster } }: ClaimedOperation): string[] => [
  accountId,
  ...(paymaster === undefined ? [] : [paymaster]),
];

/** Fresh operations first; then those that failed before, so that nothing waits for their simulation; then each that goes alone. */
function toGroups(claimed: readonly ClaimedOperation[]): (readonly ClaimedOperation[])[] {
  const shared = claimed.filter(({ goesAlone }) => !goesAlone);
  return [
    shared.filter(({ isRepeat }) => !isRepeat),
    shared.filter(({ isRepeat }) => isRepeat),
    ...claimed.filter(({ goesAlone }) => goesAlone).map((one) => [one]),
  ];
}

function hasRoom(pending: readonly PendingBundle[], max = MAX_PENDING): boolean {
  const gas = pending.reduce((sum, transaction) => sum + transaction.gas, 0n);
  return pending.length < max && gas < MAX_PENDING_GAS;
}
