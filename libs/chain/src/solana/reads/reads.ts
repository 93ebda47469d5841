import { decodeAccount, decodeTokenAccounts } from './account-codec.js';
import type { SolanaRead } from './solana-read.js';
import { parseMintDecimals, parseTokenAccount, TOKEN_PROGRAM_IDS } from './token-layout.js';

/** The balance of an account in lamports; 0 if it does not exist. */
export function createLamportsRead(address: string): SolanaRead<bigint> {
  return {
    call: { kind: 'account', address },
    decode: (data) => decodeAccount(data)?.lamports ?? 0n,
    absence: 'no account at this address',
  };
}

/** The decimals of a mint of Token or Token-2022. */
export function createMintDecimalsRead(mint: string): SolanaRead<number> {
  return {
    call: { kind: 'account', address: mint },
    decode: (data) => {
      const account = decodeAccount(data);
      return account && TOKEN_PROGRAM_IDS.includes(account.programId)
        ? parseMintDecimals(account.data)
        : undefined;
    },
    absence: 'no token mint at this address',
  };
}

/** The sum of an owner's token accounts for one mint, frozen ones included, in the mint's smallest unit. */
export function createTokenBalanceRead(mint: string, owner: string): SolanaRead<bigint> {
  return {
    call: { kind: 'token_accounts', owner, mint },
    decode: (data) =>
      decodeTokenAccounts(data).reduce(
        (sum, account) => sum + (parseTokenAccount(account)?.amount ?? 0n),
        0n,
      ),
    absence: 'no token mint at this address',
  };
}
