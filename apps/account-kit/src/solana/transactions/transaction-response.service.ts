import { Injectable } from '@nestjs/common';
import base58 from 'bs58';
import { waitForOutcome } from '../../states/wait-for-outcome.js';
import { SolanaNodesService } from '../nodes/solana-nodes.service.js';
import { solanaTransactionNotFound } from '../solana.errors.js';
import type { SolanaNetwork } from '../solana-network.js';
import { SolanaTransactionRepository, type TransactionOutcome } from './solana-transaction.repository.js';

interface TransactionRequest {
  readonly network: SolanaNetwork;
  readonly accountId: string;
  /** Base64 or base58. */
  readonly signature: string;
}

export type TransactionStatus =
  | { readonly isPending: true; readonly state: TransactionOutcome['state'] }
  /**
   * The transaction as getTransaction of a node answers it; `state` and `reason` of a transaction that has expired;
   * `state`, `slot` and `meta.err` of a finalized one that nodes did not have.
   */
  | { readonly isPending: false; readonly response: Readonly<Record<string, unknown>> };

/** What became of a transaction of an account. */
@Injectable()
export class TransactionResponseService {
  constructor(
    private readonly transactions: SolanaTransactionRepository,
    private readonly nodes: SolanaNodesService,
  ) {}

  /**
   * Loads a transaction of an account once it is included or has expired, or as it is after `waitMs`.
   * @throws AppError 404 for an unknown transaction and one of another account
   */
  async load(
    request: TransactionRequest,
    options: { readonly waitMs: number; readonly signal: AbortSignal },
  ): Promise<TransactionStatus> {
    return waitForOutcome(
      () => this.loadNow(request),
      (status) => status.isPending,
      options,
    );
  }

  private async loadNow({ network, accountId, signature }: TransactionRequest): Promise<TransactionStatus> {
    const text = toBase58(signature);
    const outcome = await this.transactions.findOutcome({ accountId, network, signature: text });
    if (!outcome) throw solanaTransactionNotFound();
    const { state, reason, slot, err, response } = outcome;
    if (response) return { isPending: false, response };
    if (state === 'final' || state === 'reverted')
      return { isPending: false, response: { state, reason, slot: Number(slot), meta: { err } } };
    if (state === 'expired') return { isPending: false, response: { state, reason, slot: null, meta: null } };
    const included =
      state === 'included'
        ? await this.nodes.find(network, (node) => node.getTransaction(text, 'confirmed'))
        : null;
    return included ? { isPending: false, response: included } : { isPending: true, state };
  }
}

/** 64 bytes in padded base64 have 88 characters of which the last two are `==`, which base58 does not have. */
const toBase58 = (signature: string): string =>
  signature.length === 88 && signature.endsWith('==')
    ? base58.encode(Buffer.from(signature, 'base64'))
    : signature;
