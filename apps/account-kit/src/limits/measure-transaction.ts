import type { Cap, CappedUse } from './cap.js';

/** A Solana transaction as caps see it. */
interface MeasuredTransaction {
  readonly network: 'SOL' | 'SOL_DEVNET';
  /** The fee that the account pays. It is paid also when the transaction fails. */
  readonly fee: bigint;
  /** The fee that the sponsor pays. It is paid also when the transaction fails. */
  readonly sponsoredFee: bigint;
  /** Lamports that the transaction may take from the account, with the fee. */
  readonly lamports: bigint;
  /** Units that it may move or approve, by mint (base58). */
  readonly tokens: ReadonlyMap<string, bigint>;
}

/** What a transaction may use of each cap. Caps of which it uses nothing are left out. */
export function measureTransaction(caps: readonly Cap[], transaction: MeasuredTransaction): CappedUse[] {
  return caps.flatMap((cap) => {
    if (!('network' in cap) || cap.network !== transaction.network) return [];
    const use = { cap, ...measure(cap, transaction) };
    return use.amount > 0n ? [use] : [];
  });
}

function measure(
  cap: Extract<Cap, { network: unknown }>,
  { fee, sponsoredFee, lamports, tokens }: MeasuredTransaction,
): Omit<CappedUse, 'cap'> {
  switch (cap.of) {
    case 'lamports':
      return { amount: lamports, ifReverted: fee };
    case 'sponsoredFees':
      return { amount: sponsoredFee, ifReverted: sponsoredFee };
    case 'solanaToken':
      return { amount: tokens.get(cap.mint) ?? 0n, ifReverted: 0n };
  }
}
