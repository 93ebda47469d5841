import { solanaTransactionInvalid } from '../solana-message.errors.js';
import type { Judgement } from './judge-transaction.js';

/** What a transaction may take from the account at most, for its policy. */
export interface SolanaEffects {
  /** Lamports of the fee that the account pays; 0 if the sponsor pays it. */
  readonly fee: bigint;
  /** Lamports of the fee that the sponsor pays; 0 if the account pays it. */
  readonly sponsoredFee: bigint;
  /** Lamports that the account pays, with the fee. */
  readonly lamports: bigint;
  /** Raw amounts by mint (base58). */
  readonly tokens: ReadonlyMap<string, bigint>;
  readonly opaquePrograms: readonly string[];
}

/** Token accounts whose mint the transaction does not name. */
export const listUnknownTokenAccounts = ({ spends }: Pick<Judgement, 'spends'>): string[] => [
  ...new Set(
    spends.flatMap((spend) =>
      spend.kind === 'tokens' && spend.mint === undefined ? [spend.tokenAccount] : [],
    ),
  ),
];

/** @param mints of the accounts of listUnknownTokenAccounts, as far as these exist */
export function sumEffects(judgement: Judgement, mints: ReadonlyMap<string, string>): SolanaEffects {
  const [fee, sponsoredFee] = judgement.feePayer === 'account' ? [judgement.fee, 0n] : [0n, judgement.fee];
  let lamports = fee;
  const tokens = new Map<string, bigint>();
  for (const spend of judgement.spends)
    if (spend.kind === 'lamports') lamports += spend.lamports;
    else {
      const mint = spend.mint ?? mints.get(spend.tokenAccount);
      if (mint === undefined)
        throw solanaTransactionInvalid(
          `there is no token account ${spend.tokenAccount}: use TransferChecked`,
        );
      tokens.set(mint, (tokens.get(mint) ?? 0n) + spend.amount);
    }
  return { fee, sponsoredFee, lamports, tokens, opaquePrograms: judgement.opaquePrograms };
}
