import { z } from 'zod';
import type { AccountState } from '../messages/transaction/resolve-keys.js';
import type { JsonRpcClient } from './json-rpc-client.js';

/** A block that a supermajority of the cluster has voted for: it is as good as never dropped. */
const CONFIRMED = { commitment: 'confirmed' } as const;
const FINALIZED = { commitment: 'finalized' } as const;

/** The values that JSON numbers hold exactly suffice for slots and block heights. */
const height = z.int().nonnegative().transform(BigInt);
const withContext = <T extends z.ZodType>(value: T) =>
  z.object({ context: z.object({ slot: height }), value });

const epochInfo = z.object({ absoluteSlot: height, blockHeight: height });

const account = z.object({ owner: z.string(), data: z.tuple([z.base64(), z.literal('base64')]) }).nullable();

const simulation = z.object({
  err: z.unknown(),
  logs: z.array(z.string()).nullish(),
  accounts: z.array(z.object({ lamports: height }).nullable()).nullish(),
});
export type Simulation = z.infer<typeof simulation>;

const signatureStatus = z
  .object({
    slot: height,
    err: z.unknown(),
    confirmationStatus: z.enum(['processed', 'confirmed', 'finalized']).nullish(),
  })
  .nullable();
export type SignatureStatus = z.infer<typeof signatureStatus>;

const firstBlock = z.object({ blockHeight: height.nullish() }).nullable();

/** Heights of the blocks that can hold a transaction. */
interface BlockhashUse {
  readonly blockhash: string;
  readonly firstHeight: bigint;
  readonly lastHeight: bigint;
}

const transactionResponse = z.looseObject({ slot: z.int() }).nullable();
export type TransactionResponse = NonNullable<z.infer<typeof transactionResponse>>;

/** `later`: a healthy node has not finalized the slot yet, so that it will know soon. */
export type LandingVote = 'confirm' | 'deny' | 'later';

const SLOT_MS = 400;
/** A healthy node is at most 128 slots behind its cluster (`--health-check-slot-distance`); operators may set it a little higher. */
const MAX_HEALTHY_LAG_SLOTS = 512n;

const isSuccess = (err: unknown): boolean => err === null || err === undefined;

/** Requests to one node. All reject with SolanaNodeError or SolanaRequestError. */
export class SolanaNode {
  private processedHeight: { readonly height: Promise<bigint>; readonly until: number } | undefined;

  constructor(private readonly rpc: JsonRpcClient) {}

  /** The height is at most a slot old, so that concurrent transactions need no call of their own. */
  getProcessedHeight(): Promise<bigint> {
    const now = performance.now();
    if (this.processedHeight && now < this.processedHeight.until) return this.processedHeight.height;
    const read = this.rpc.call('getBlockHeight', [{ commitment: 'processed' }], height);
    const kept = { height: read, until: now + SLOT_MS };
    this.processedHeight = kept;
    read.catch(() => {
      if (this.processedHeight === kept) this.processedHeight = undefined;
    });
    return read;
  }

  getGenesisHash(): Promise<string> {
    return this.rpc.call('getGenesisHash', [], z.string());
  }

  /** Rejects if the node says that it is behind its cluster. */
  async getHealth(): Promise<void> {
    await this.rpc.call('getHealth', [], z.literal('ok'));
  }

  private isHealthy(): Promise<boolean> {
    return this.getHealth().then(
      () => true,
      () => false,
    );
  }

  getFinalizedHeight(): Promise<bigint> {
    return this.rpc.call('getBlockHeight', [FINALIZED], height);
  }

  /** @param addresses at most 100 @returns those that exist */
  async getAccounts(
    clientId: string,
    addresses: readonly string[],
  ): Promise<ReadonlyMap<string, AccountState>> {
    if (addresses.length === 0) return new Map();
    const { value } = await this.rpc.callFor(
      clientId,
      { method: 'getMultipleAccounts', params: [addresses, { ...CONFIRMED, encoding: 'base64' }] },
      withContext(z.array(account).length(addresses.length)),
    );
    return new Map(
      addresses.flatMap((address, index) => {
        const found = value[index];
        if (!found) return [];
        return [[address, { programId: found.owner, data: Buffer.from(found.data[0], 'base64') }] as const];
      }),
    );
  }

  async getLamports(address: string): Promise<bigint> {
    return (await this.rpc.call('getBalance', [address, CONFIRMED], withContext(height))).value;
  }

  /**
   * Simulates a transaction with its own blockhash; the signatures are not checked.
   * @param clientId the client application that has submitted it
   * @param observed addresses whose state after it is in `accounts`
   */
  async simulate(clientId: string, wire: Uint8Array, observed: readonly string[] = []): Promise<Simulation> {
    const options = {
      ...CONFIRMED,
      encoding: 'base64',
      sigVerify: false,
      replaceRecentBlockhash: false,
      ...(observed.length > 0 ? { accounts: { encoding: 'base64', addresses: observed } } : {}),
    };
    const params = [Buffer.from(wire).toString('base64'), options];
    const call = { method: 'simulateTransaction', params };
    return (await this.rpc.callTogetherFor(clientId, call, withContext(simulation))).value;
  }

  /** Sends a signed transaction, which the cluster takes once. */
  async send(clientId: string, wire: Uint8Array): Promise<void> {
    const options = { encoding: 'base64', skipPreflight: true, maxRetries: 0 };
    const params = [Buffer.from(wire).toString('base64'), options];
    await this.rpc.callTogetherFor(clientId, { method: 'sendTransaction', params }, z.string());
  }

  /** @param signatures at most 256 @returns one status for each; null where the node knows no such transaction */
  async getStatuses(signatures: readonly string[]): Promise<SignatureStatus[]> {
    return (await this.findStatuses(signatures)).value;
  }

  /**
   * Whether the finalized block of another node's word has the transaction, with the same success.
   * @returns undefined if this node is behind its cluster by its own word, or does not keep blocks for long enough
   */
  async confirmsLanding(
    signature: string,
    {
      slot,
      err,
      firstHeight,
    }: { readonly slot: bigint; readonly err: unknown; readonly firstHeight: bigint },
  ): Promise<LandingVote | undefined> {
    const { context, value } = await this.findStatuses([signature]);
    const [status] = value;
    if (!status && context.slot >= slot) return (await this.hasBlocksSince(firstHeight)) ? 'deny' : undefined;
    const isSame = status?.slot === slot && isSuccess(status.err) === isSuccess(err);
    const commitment = status?.confirmationStatus;
    if (commitment === 'finalized') return isSame ? 'confirm' : 'deny';
    if (commitment === 'confirmed' && !isSame) return 'deny';
    // A node that is stuck never comes to know it.
    if (!(await this.isHealthy())) return undefined;
    return slot > context.slot + MAX_HEALTHY_LAG_SLOTS ? 'deny' : 'later';
  }

  /**
   * Whether no block holds the transaction, nor can hold it any more: its blockhash is not valid in the finalized state, and the node knows
   * no such transaction at that slot, although its history reaches back to the first block that can hold the transaction. Behind one URL
   * there may be nodes of which some are behind others.
   * @returns undefined if this node is behind its cluster by its own word, or does not keep blocks for long enough
   */
  async confirmsExpiry(
    signature: string,
    { blockhash, firstHeight, lastHeight }: BlockhashUse,
  ): Promise<boolean | undefined> {
    const finalized = await this.rpc.call('getEpochInfo', [FINALIZED], epochInfo);
    const validity = await this.rpc.call(
      'isBlockhashValid',
      [blockhash, FINALIZED],
      withContext(z.boolean()),
    );
    const { context, value } = await this.findStatuses([signature]);
    if (value[0]) return false;
    // Silence would leave the decision to a node that lies, while a block can still take the transaction.
    if (finalized.blockHeight <= lastHeight || validity.value)
      return (await this.isHealthy()) ? false : undefined;
    const isCurrent = [context.slot, validity.context.slot].every((slot) => slot >= finalized.absoluteSlot);
    return isCurrent && (await this.hasBlocksSince(firstHeight)) ? true : undefined;
  }

  /** Nodes delete old blocks with their transactions, and answer null for these as for transactions that were never sent. */
  private async hasBlocksSince(blockHeight: bigint): Promise<boolean> {
    const slot = await this.rpc.call('getFirstAvailableBlock', [], height);
    // The first block of a cluster has no height in old ledgers.
    if (slot === 0n) return true;
    const options = {
      ...FINALIZED,
      transactionDetails: 'none',
      rewards: false,
      maxSupportedTransactionVersion: 0,
    };
    const first = await this.rpc.call('getBlock', [Number(slot), options], firstBlock);
    return first?.blockHeight != null && first.blockHeight <= blockHeight;
  }

  private findStatuses(signatures: readonly string[]) {
    return this.rpc.call(
      'getSignatureStatuses',
      [signatures, { searchTransactionHistory: true }],
      withContext(z.array(signatureStatus).length(signatures.length)),
    );
  }

  getTransaction(
    signature: string,
    commitment: 'confirmed' | 'finalized',
  ): Promise<TransactionResponse | null> {
    const options = { commitment, encoding: 'json', maxSupportedTransactionVersion: 0 };
    return this.rpc.call('getTransaction', [signature, options], transactionResponse);
  }
}
