import { solanaTransactionState } from '@app/dto';
import { z } from 'zod';
import { solanaNetwork } from '../solana-network.js';

/** What the worker and the signer need of a row. */
export const storedTransaction = z.object({
  id: z.uuid(),
  accountId: z.uuid(),
  /** The client application that submitted it. */
  clientId: z.string(),
  network: solanaNetwork,
  message: z.instanceof(Buffer),
  /** 64 bytes for each signer; zeros where the service has yet to sign. */
  signatures: z.instanceof(Buffer),
  /** Base58; null until it is signed. */
  signature: z.string().nullable(),
  blockhash: z.string(),
  /** Base58 address of the sponsor that pays the fee; null where the account does. */
  sponsor: z.string().nullable(),
  /** A height at which the cluster knew the blockhash. */
  acceptedBlockHeight: z.bigint(),
  state: solanaTransactionState,
  /** Whether the transaction has reserved parts of caps. */
  isCapped: z.boolean(),
});
export type StoredTransaction = z.infer<typeof storedTransaction>;

/** A transaction that is signed, so that its signature names it. */
export type SignedTransaction = StoredTransaction & { readonly signature: string };

export const isSigned = (transaction: StoredTransaction): transaction is SignedTransaction =>
  transaction.signature !== null;
