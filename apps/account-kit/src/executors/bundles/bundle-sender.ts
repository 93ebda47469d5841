import type { Address, PublicClient } from 'viem';
import { keccak256 } from 'viem/utils';
import { ACCOUNT_CONTRACTS } from '../../evm/accounts/account-contracts.js';
import type { ChainLease } from '../leases/chain-lease.repository.js';
import type { SignerClient } from '../../key-vault/signer-client.js';
import {
  BundleConflictError,
  type ExecutorTransactionRepository,
} from '../transactions/executor-transaction.repository.js';
import { loadTransactionFees } from '../transactions/transaction-fees.js';
import type { TransactionTracker } from '../transactions/transaction-tracker.js';
import type { ClaimedOperation } from './claimed-operation.js';
import type { OperationClaimRepository } from './operation-claim.repository.js';
import { selectBundle } from './select-bundle.js';
import { simulateBundle, type SimulatedBundle } from './simulate-bundle.js';

/** Transactions of one executor that wait to be mined. */
const MAX_PENDING = 8;
/** Pause of operations whose bundle could not be made, for instance because no node answered. */
const RETRY_MS = 1_000;

/** Puts signed operations into transactions of an executor, stores them and sends them. */
export class BundleSender {
  constructor(
    private readonly claims: OperationClaimRepository,
    private readonly transactions: ExecutorTransactionRepository,
    private readonly tracker: TransactionTracker,
    private readonly signer: SignerClient,
    private readonly maxGas: bigint,
  ) {}

  /** Sends until nothing is due or too much is pending. */
  async sendDue(client: PublicClient, lease: ChainLease, pending: number): Promise<void> {
    for (let count = pending; count < MAX_PENDING;) {
      const claimed = await this.claims.claim(lease.chainId);
      if (claimed.length === 0) return;
      count += await this.sendClaimed(client, lease, claimed, MAX_PENDING - count);
    }
  }

  /** @returns how many transactions were stored */
  private async sendClaimed(
    client: PublicClient,
    lease: ChainLease,
    claimed: readonly ClaimedOperation[],
    maxCount: number,
  ): Promise<number> {
    let open = claimed;
    let count = 0;
    try {
      while (open.length > 0 && count < maxCount) {
        const { bundle, rest } = selectBundle(open, this.maxGas);
        const waiting = await this.sendBundle(client, lease, bundle);
        count += 1;
        // What comes after these in their lanes waits until they are executed.
        const lanes = new Set(bundle.map(({ lane }) => lane));
        const later = rest.filter(({ lane }) => lanes.has(lane));
        await this.claims.release([...waiting, ...later].map(({ id }) => id));
        open = rest.filter(({ lane }) => !lanes.has(lane));
      }
      await this.claims.release(open.map(({ id }) => id));
      return count;
    } catch (error) {
      await this.claims.release(
        open.map(({ id }) => id),
        RETRY_MS,
      );
      throw error;
    }
  }

  /** @returns the operations that are left to a later bundle */
  private async sendBundle(
    client: PublicClient,
    lease: ChainLease,
    claimed: readonly ClaimedOperation[],
  ): Promise<readonly ClaimedOperation[]> {
    const executor = lease.name as Address;
    const { bundle, failed, waiting } = await simulateBundle(client, executor, claimed);
    for (const { id, reason } of failed) await this.claims.postpone(id, reason);
    if (!bundle) return waiting;
    try {
      await this.storeAndSend(client, lease, bundle);
    } catch (error) {
      if (!(error instanceof BundleConflictError)) throw error;
      return [...bundle.operations, ...waiting];
    }
    return waiting;
  }

  private async storeAndSend(
    client: PublicClient,
    lease: ChainLease,
    { version, operations, data, gas }: SimulatedBundle,
  ): Promise<void> {
    const executor = lease.name as Address;
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
