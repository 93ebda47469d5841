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
import { loadTransactionFees } from '../transactions/transaction-fees.js';
import type { TransactionTracker } from '../transactions/transaction-tracker.js';
import type { ClaimedOperation } from './claimed-operation.js';
import type { OperationClaimRepository } from './operation-claim.repository.js';
import { type BundleLimits, toBundleLimits } from './bundle-limits.js';
import { refuseTooLarge, selectBundle } from './select-bundle.js';
import { type PendingBundle, simulateBundle, type SimulatedBundle } from './simulate-bundle.js';

/** Transactions of one executor that wait to be mined, and their gas limits in sum: nodes bound what one simulation may use. */
const MAX_PENDING = 8;
const MAX_PENDING_GAS = 80_000_000n;
/** Pause of operations whose bundle could not be made, for instance because no node answered. */
const RETRY_MS = 1_000;

/** Puts signed operations into transactions of an executor, stores them and sends them. */
export class BundleSender {
  /** Whether nodes can simulate a bundle after pending ones. Otherwise a lane waits until its transactions are mined. */
  private canFollow = true;

  constructor(
    private readonly claims: OperationClaimRepository,
    private readonly transactions: ExecutorTransactionRepository,
    private readonly tracker: TransactionTracker,
    private readonly signer: SignerClient,
    private readonly bundleGas: number,
  ) {}

  /**
   * Sends until nothing is due or too much is pending.
   * @param sent transactions of the executor that wait to be mined
   * @returns how many transactions were stored
   */
  async sendDue(client: PublicClient, lease: ChainLease, sent: readonly PendingBundle[]): Promise<number> {
    const pending = [...sent];
    while (hasRoom(pending)) {
      const claimed = await this.claims.claim(lease.chainId, this.canFollow ? toExecutor(lease) : undefined);
      if (claimed.length === 0) break;
      const { gasLimit } = await loadHead(client);
      const limits = toBundleLimits(this.bundleGas, gasLimit);
      const { refused, waiting, fitting } = refuseTooLarge(claimed, limits);
      for (const { id, reason } of refused) await this.claims.postpone(id, reason);
      await this.claims.release(waiting.map(({ id }) => id));
      await this.sendClaimed(client, lease, fitting, pending, limits);
    }
    return pending.length - sent.length;
  }

  /** @param pending to which stored transactions are added */
  private async sendClaimed(
    client: PublicClient,
    lease: ChainLease,
    claimed: readonly ClaimedOperation[],
    pending: PendingBundle[],
    limits: BundleLimits,
  ): Promise<void> {
    let open = claimed;
    try {
      while (open.length > 0 && hasRoom(pending)) {
        const { bundle, rest } = selectBundle(open, limits);
        const waiting = await this.sendBundle(client, lease, bundle, pending);
        // What comes after these in their lanes is claimed again.
        const lanes = new Set(bundle.map(({ lane }) => lane));
        const later = rest.filter(({ lane }) => lanes.has(lane));
        await this.claims.release([...waiting, ...later].map(({ id }) => id));
        open = rest.filter(({ lane }) => !lanes.has(lane));
      }
      await this.claims.release(open.map(({ id }) => id));
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
    client: PublicClient,
    lease: ChainLease,
    claimed: readonly ClaimedOperation[],
    pending: PendingBundle[],
  ): Promise<readonly ClaimedOperation[]> {
    const { bundle, failed, waiting } = await simulateBundle(client, toExecutor(lease), claimed, pending);
    for (const { id, reason } of failed) await this.claims.postpone(id, reason);
    if (!bundle) return waiting;
    try {
      await this.storeAndSend(client, lease, bundle);
    } catch (error) {
      if (!(error instanceof BundleConflictError)) throw error;
      return [...bundle.operations, ...waiting];
    }
    const { entryPoint } = ACCOUNT_CONTRACTS[bundle.version];
    pending.push({ entryPoint, data: bundle.data, gas: bundle.gas });
    return waiting;
  }

  private async storeAndSend(
    client: PublicClient,
    lease: ChainLease,
    { version, operations, data, gas }: SimulatedBundle,
  ): Promise<void> {
    const executor = toExecutor(lease);
    const [head, used, next] = await Promise.all([
      client.getBlock({ blockTag: 'latest' }),
      client.getTransactionCount({ address: executor }),
      this.transactions.findNextNonce(lease),
    ]);
    const nonce = Math.max(used, next);
    const fees = await loadTransactionFees(client, head.baseFeePerGas ?? 0n);
    const { entryPoint } = ACCOUNT_CONTRACTS[version];
    const request = { executor, chainId: lease.chainId, nonce, entryPoint, data, gas, ...fees };
    const raw = await this.signer.signExecutorTransaction(request);
    const variant = { raw, hash: keccak256(raw), blockNumber: head.number, ...fees };
    await this.transactions.insert(lease, {
      nonce,
      entryPoint,
      data,
      gas,
      operationIds: operations.map(({ id }) => id),
      variant,
    });
    await this.tracker.send({ client, head, lease }, { ...variant, number: 1 });
  }
}

const toExecutor = ({ name }: ChainLease): Address => name as Address;

function hasRoom(pending: readonly PendingBundle[]): boolean {
  const gas = pending.reduce((sum, transaction) => sum + transaction.gas, 0n);
  return pending.length < MAX_PENDING && gas < MAX_PENDING_GAS;
}
