import { SECOND_MS } from '@app/common';
import type { Address, Hex, PublicClient } from 'viem';
import { keccak256 } from 'viem/utils';
import { ACCOUNT_CONTRACTS } from '../../../evm/accounts/account-contracts.js';
import { isMethodMissing } from '../../../evm/nodes/evm.errors.js';
import type { SignerClient } from '../../../custody/signer-client.js';
import {
  BundleConflictError,
  type ExecutorTransactionRepository,
} from '../transactions/executor-transaction.repository.js';
import {
  loadHead,
  chooseFees,
  type FeeLimitSettings,
  loadTransactionFees,
  toFeeLimit,
  toPaidFees,
  type TransactionFees,
} from '../transactions/transaction-fees.js';
import type { TransactionTracker } from '../transactions/transaction-tracker.js';
import type { ClaimedOperation } from './claimed-operation.js';
import type { BundleFunds } from './bundle-funds.js';
import type { OperationQueue } from '../operation-queue.js';
import { toBundleLimits } from './bundle-limits.js';
import { holdUnaffordable, holdUnsendable, selectBundle, toGroups } from './select-bundle.js';
import {
  canPayLeast,
  type Flight,
  hasRoom,
  limitByCoins,
  limitByFee,
  MAX_PENDING,
  type SendingChain,
  type SendingRound,
  toCoinsLeft,
  toExecutor,
  toPayers,
} from './sending-round.js';
import { LeaseLostError } from '../chain-lease.repository.js';
import type { PendingBundle, SimulatedBundle } from './simulate-bundle.js';
import { halveBundle, simulateAnswered, UnansweredSimulationError } from './unanswered-simulation.js';
import type { ChainNode } from '../../../evm/nodes/chain-node.js';

/** Claims of one look. The same loop follows transactions and inclusions, which thousands of operations that wait must not keep from that. */
const MAX_ROUNDS = 5;
/** Pause of operations whose bundle could not be made, for instance because no node answered. */
const RETRY_MS = 1_000;

/** Operations that go alone leave this many transactions of the executor to others. */
const MAX_PENDING_ALONE = MAX_PENDING / 2;
/** Pause of operations that fit into no transaction or pay less than a block costs: about a block of Ethereum. */
const HOLD_MS = 12 * SECOND_MS;
/** The first pause of an operation whose simulation no node answers; each further one is twice as long, as each attempt may cost a time-out. */
const UNANSWERED_PAUSE_MS = 10 * SECOND_MS;
/** Another executor is preferred for this time when one could not pay or sign. */
const TROUBLED_MS = 30 * SECOND_MS;

export interface BundleSettings extends FeeLimitSettings {
  /** EXECUTOR_BUNDLE_GAS */
  readonly bundleGas: number;
}

/** Puts signed operations into transactions of an executor, stores them and sends them. */
export class BundleSender {
  /** Whether nodes can simulate a bundle after pending ones. Otherwise an account waits until its transactions are mined. */
  private canFollow = true;
  /** Time by `performance.now()`. */
  private readonly troubledUntil = new Map<Address, number>();

  constructor(
    private readonly queue: OperationQueue,
    private readonly transactions: ExecutorTransactionRepository,
    private readonly tracker: TransactionTracker,
    private readonly signer: SignerClient,
    private readonly funds: BundleFunds,
    private readonly settings: BundleSettings,
  ) {}

  /** Whether an executor could not pay or sign something lately, so that another one is to send if there is one. */
  isTroubled(executor: Address): boolean {
    return performance.now() < (this.troubledUntil.get(executor) ?? 0);
  }

  /**
   * Sends until nothing is due, too much is pending, or the rounds of one look are over.
   * @param sent transactions of the executor that wait to be mined
   * @returns how many transactions were stored
   */
  async sendDue(chain: SendingChain, sent: readonly PendingBundle[]): Promise<number> {
    const { client, lease } = chain;
    const flight: Flight = { pending: [...sent], payers: new Set(), hasUnanswered: false };
    for (let index = 0; index < MAX_ROUNDS && hasRoom(flight.pending) && !flight.hasUnanswered; index += 1) {
      const claimed = await this.queue.claim(lease.chainId, this.canFollow ? toExecutor(lease) : undefined);
      if (claimed.length === 0) break;
      const executor = toExecutor(lease);
      const [{ gasLimit, baseFeePerGas }, balance] = await Promise.all([
        loadHead(client),
        client.getBalance({ address: executor }),
      ]);
      const alone = toBundleLimits(this.settings.bundleGas, gasLimit);
      const baseFee = baseFeePerGas ?? 0n;
      const current = await loadTransactionFees(client, baseFee);
      const conditions = { ...this.settings, limits: alone, current, baseFee };
      const { held, waiting, fitting } = holdUnsendable(claimed, conditions);
      await this.queue.hold(held, HOLD_MS);
      await this.queue.release(waiting.map(({ id }) => id));
      const limits = limitByFee(alone, current, this.settings);
      const round = { ...chain, limits, flight, current, baseFee, balance };
      if (flight.pending.length > 0 && !canPayLeast(round)) {
        await this.queue.release(
          fitting.map(({ id }) => id),
          RETRY_MS,
        );
        break;
      }
      await this.sendClaimed(round, fitting);
    }
    return flight.pending.length - sent.length;
  }

  private async sendClaimed(round: SendingRound, claimed: readonly ClaimedOperation[]): Promise<void> {
    let open = claimed;
    try {
      for (const group of toGroups(claimed, round)) {
        const goesAlone = group[0]?.goesAlone === true;
        const max = goesAlone ? MAX_PENDING_ALONE : MAX_PENDING;
        let rest = group;
        while (rest.length > 0 && hasRoom(round.flight.pending, max)) {
          // Nodes may refuse this one, too, and one executor is not to be blocked by several in turn.
          if (goesAlone && round.flight.pending.some(({ isCertain }) => !isCertain)) break;
          const affordable = await this.holdUnaffordable(round, rest);
          const heldBack = rest.filter((one) => !affordable.includes(one));
          open = open.filter((one) => !heldBack.includes(one));
          if (affordable.length === 0) break;
          const { bundle, rest: others } = selectBundle(affordable, limitByCoins(round));
          const waiting = await this.sendAnswered(round, bundle);
          // What comes after these in their lanes is claimed again.
          const lanes = new Set(bundle.map(({ lane }) => lane));
          const later = others.filter(({ lane }) => lanes.has(lane));
          await this.queue.release([...waiting, ...later].map(({ id }) => id));
          rest = others.filter(({ lane }) => !lanes.has(lane));
          open = open.filter((one) => !bundle.includes(one) && !later.includes(one));
        }
      }
      // Operations that go alone do not fill all transactions of the executor, and wait although it has room.
      const alone = open.filter(({ goesAlone }) => goesAlone);
      await this.queue.release(
        alone.map(({ id }) => id),
        RETRY_MS,
      );
      await this.queue.release(open.filter((one) => !alone.includes(one)).map(({ id }) => id));
    } catch (error) {
      const isUnsupported = isMethodMissing(error);
      await this.queue.release(
        open.map(({ id }) => id),
        isUnsupported ? 0 : RETRY_MS,
      );
      if (!isUnsupported) throw error;
      this.canFollow = false;
    }
  }

  /**
   * An executor that has few coins sends what it can pay for beside what is in flight.
   * @returns the operations that it can pay for
   */
  private async holdUnaffordable(
    round: SendingRound,
    claimed: readonly ClaimedOperation[],
  ): Promise<readonly ClaimedOperation[]> {
    const executor = toExecutor(round.lease);
    const coins = { executor, left: toCoinsLeft(round) };
    const toFee = (one: ClaimedOperation, gas: bigint) => this.chooseFees([one], gas, round).maxFeePerGas;
    const { held, waiting, fitting } = holdUnaffordable(claimed, coins, toFee);
    if (held.length === 0) return claimed;
    const isAlone = round.flight.pending.length === 0;
    if (isAlone) this.markTroubled(executor);
    await this.queue.hold(held, isAlone && canPayLeast(round) ? HOLD_MS : RETRY_MS);
    await this.queue.release(waiting.map(({ id }) => id));
    return fitting;
  }

  private chooseFees(
    operations: readonly ClaimedOperation[],
    gas: bigint,
    { current, baseFee }: Pick<SendingRound, 'current' | 'baseFee'>,
  ): TransactionFees {
    const paid = toPaidFees(
      operations.filter(({ isCancellation }) => !isCancellation).map(({ operation }) => operation),
    );
    return chooseFees(current, toFeeLimit(paid, gas, this.settings), baseFee);
  }

  /**
   * Sends a bundle, or the halves of it that nodes answer: one operation that they never answer keeps no other one from being sent. Only one
   * is looked for at a time, since each part may cost a time-out, and the same loop follows transactions.
   * @returns the operations that are left to a later bundle
   */
  private async sendAnswered(
    round: SendingRound,
    bundle: readonly ClaimedOperation[],
  ): Promise<readonly ClaimedOperation[]> {
    if (bundle.length === 0 || !hasRoom(round.flight.pending)) return bundle;
    try {
      return await this.sendBundle(round, bundle);
    } catch (error) {
      if (!(error instanceof UnansweredSimulationError)) throw error;
      // Each part may cost a time-out of each node, and together they take longer than a lease.
      if (!(await round.holdLease()))
        throw new LeaseLostError(`lost ${round.lease.name} of chain ${round.lease.chainId}`);
      const [one, ...others] = bundle;
      if (one === undefined || round.flight.hasUnanswered) return bundle;
      if (others.length > 0) {
        const [first, second] = halveBundle(bundle);
        const left = await this.sendAnswered(round, first);
        const isOneLane = first.some(({ lane }) => lane === second[0]?.lane);
        return [...left, ...(isOneLane ? second : await this.sendAnswered(round, second))];
      }
      round.flight.hasUnanswered = true;
      const failed = [{ id: one.id, reason: error.reason }];
      if (error.isAnsweredAlone) await this.queue.hold(failed, HOLD_MS);
      else await this.queue.postponeAll(failed, UNANSWERED_PAUSE_MS);
      return [];
    }
  }

  /** @returns the operations that are left to a later bundle */
  private async sendBundle(
    round: SendingRound,
    claimed: readonly ClaimedOperation[],
  ): Promise<readonly ClaimedOperation[]> {
    const { client, lease, flight, current } = round;
    const { operations, refused } = await this.confirm(claimed, flight);
    const { covered, held, waiting: uncovered } = await this.funds.cover(client, lease.chainId, operations);
    await this.queue.hold(held, RETRY_MS);
    const unsent = [...refused, ...uncovered];
    if (covered.length === 0) return unsent;
    const state = {
      executor: toExecutor(lease),
      pending: flight.pending.filter(({ isCertain }) => isCertain),
      maxFeePerGas: current.maxFeePerGas,
    };
    const { bundle, failed, waiting } = await simulateAnswered(client, state, covered);
    await this.queue.postponeAll(failed);
    const left = [...unsent, ...waiting];
    if (!bundle) return left;
    let stored;
    try {
      stored = await this.storeAndSend(round, bundle);
    } catch (error) {
      if (!(error instanceof BundleConflictError)) throw error;
      return [...bundle.operations, ...left];
    }
    if (stored === undefined) return left;
    flight.pending.push(stored);
    for (const payer of bundle.operations.flatMap(toPayers)) flight.payers.add(payer);
    return left;
  }

  /** Signed bytes leave with the simulation, so it begins with another look at freezes and cancellations. */
  private async confirm(
    claimed: readonly ClaimedOperation[],
    flight: Flight,
  ): Promise<{ operations: ClaimedOperation[]; refused: ClaimedOperation[] }> {
    const confirmed = await this.queue.confirm(claimed.map(({ id }) => id));
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

  /** @returns the transaction that waits to be mined; undefined if the executor cannot pay for it, and the operations wait */
  private async storeAndSend(
    { client, sender, lease, flight, pinNode }: SendingRound,
    { version, operations, data, gas }: SimulatedBundle,
  ): Promise<PendingBundle | undefined> {
    const executor = toExecutor(lease);
    const [head, used, next, balance] = await Promise.all([
      client.getBlock({ blockTag: 'latest' }),
      client.getTransactionCount({ address: executor }),
      this.transactions.findNextNonce(lease),
      client.getBalance({ address: executor }),
    ]);
    const nonce = used <= next ? next : await confirmNonce(await pinNode(), { executor, used, next });
    const baseFee = head.baseFeePerGas ?? 0n;
    const current = await loadTransactionFees(client, baseFee);
    const fees = this.chooseFees(operations, gas, { current, baseFee });
    const maxCost = gas * fees.maxFeePerGas;
    // Nodes want coins for the worst case of all transactions that wait. A stored one that no node takes would block its operations.
    const left = toCoinsLeft({ flight, balance });
    if (maxCost > left) {
      const reason = `executor without coins: ${executor} has ${left} wei beside what is in flight, and a transaction may cost ${maxCost}`;
      await this.queue.hold(
        operations.map(({ id }) => ({ id, reason })),
        RETRY_MS,
      );
      return undefined;
    }
    const { entryPoint } = ACCOUNT_CONTRACTS[version];
    const request = { executor, chainId: lease.chainId, nonce, entryPoint, data, gas, ...fees };
    const raw = await this.sign(request);
    const variant = { raw, hash: keccak256(raw), blockNumber: head.number, ...fees };
    const id = await this.transactions.insert(lease, {
      nonce,
      entryPoint,
      data,
      gas,
      operationIds: operations.map(({ id }) => id),
      variant,
    });
    const first = { ...variant, number: 1, isEmpty: false };
    const isRefused = await this.tracker.sendFirst({ client, sender, head, lease }, id, first);
    return { entryPoint, data, gas, maxCost, isCertain: !isRefused };
  }

  private async sign(request: Parameters<SignerClient['signExecutorTransaction']>[0]): Promise<Hex> {
    try {
      return await this.signer.signExecutorTransaction(request);
    } catch (error) {
      this.markTroubled(request.executor);
      throw error;
    }
  }

  private markTroubled(executor: Address): void {
    this.troubledUntil.set(executor, performance.now() + TROUBLED_MS);
  }
}

/**
 * A node counts more nonces than this service has stored: the key of the executor was used elsewhere, or the node lies. A stored transaction
 * with a nonce that is too high would leave a gap before it, which blocks the executor for good, so other nodes must say the same.
 */
async function confirmNonce(
  node: ChainNode,
  { executor, used, next }: { readonly executor: Address; readonly used: number; readonly next: number },
): Promise<number> {
  const isSame = async (client: PublicClient): Promise<boolean> =>
    (await client.getTransactionCount({ address: executor, blockNumber: node.head.number })) === used;
  if ((await isSame(node.client)) && (await node.isConfirmed(node.head, isSame))) return used;
  throw new Error(
    `nodes of the chain disagree about the nonce of executor ${executor}: one says ${used}, and ${next} follows what is stored`,
  );
}
