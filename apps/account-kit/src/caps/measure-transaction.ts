import type { Cap } from './cap.js';
import type { CappedUse } from './reservation.js';

/** A Solana transaction as caps see it. */
export interface MeasuredTransaction {
  readonly network: 'SOL' | 'SOL_DEVNET';
  /** That the account pays. It is paid also when the transaction fails. */
  readonly fee: bigint;
  /** Lamports that the transaction may take from the account, with the fee. */
  readonly lamports: bigint;
  /** Units that it may move or approve, by mint (base58). */
  readonly tokens: ReadonlyMap<string, bigint>;
}

/** What a transaction may use of each cap. Caps of which it uses nothing are left out. */
export function measureTransaction(caps: readonly Cap[], transaction: MeasuredTransaction): CappedUse[] {
  const { network, fee, lamports, tokens } = transaction;
  return caps.flatMap((cap) => {
    if (!('network' in cap) || cap.network !== network) return [];
    const amount = cap.of === 'lamports' ? lamports : (tokens.get(cap.mint) ?? 0n);
    return amount > 0n ? [{ cap, amount, ifReverted: cap.of === 'lamports' ? fee : 0n }] : [];
  });
}
