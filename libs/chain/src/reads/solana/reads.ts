import {
  decodeAccount,
  decodeAccounts,
  decodeKeyedAccounts,
  decodeList,
  decodeTokenAccounts,
  type KeyedAccount,
  type SolanaAccount,
} from './account-codec.js';
import { type SolanaRead, TOO_MANY_ACCOUNTS } from './solana-read.js';
import {
  parseMintDecimals,
  parseMintMetadata,
  parseTokenGroup,
  readTokenAmount,
  TOKEN_PROGRAM_IDS,
} from './token-layout.js';
import { parseCoreAsset } from './core-asset-layout.js';
import { parseTokenMetadata, TOKEN_METADATA_PROGRAM_ID } from './token-metadata-layout.js';

/** The balance of an account in lamports; 0 if it does not exist. */
export function createLamportsRead(address: string): SolanaRead<bigint> {
  return {
    call: { kind: 'account', address },
    decode: (data) => decodeAccount(data)?.lamports ?? 0n,
    absence: 'no account at this address',
  };
}

const readDecimals = (account: SolanaAccount | undefined): number | undefined =>
  account && TOKEN_PROGRAM_IDS.includes(account.programId) ? parseMintDecimals(account.data) : undefined;

/** The decimals of a mint of Token or Token-2022. */
export function createMintDecimalsRead(mint: string): SolanaRead<number> {
  return {
    call: { kind: 'account', address: mint },
    decode: (data) => readDecimals(decodeAccount(data)),
    absence: 'no token mint at this address',
  };
}

/** The sum of an owner's token accounts for one mint, frozen ones included, in the mint's smallest unit. */
export function createTokenBalanceRead(mint: string, owner: string): SolanaRead<bigint> {
  return {
    call: { kind: 'token_accounts', owner, mint },
    decode: (data) => decodeTokenAccounts(data).reduce((sum, account) => sum + readTokenAmount(account), 0n),
    absence: 'no token mint at this address',
  };
}

/**
 * The mints of which an owner holds one unit, frozen ones included, of Token and of Token-2022: candidates for NFTs. Null
 * for owners with more than 10,000 token accounts of one of these programs.
 */
export const createSingleUnitReads = (owner: string): SolanaRead<readonly string[] | null>[] =>
  TOKEN_PROGRAM_IDS.map((programId) => ({
    call: { kind: 'single_units', owner, programId },
    decode: (data) => (data === TOO_MANY_ACCOUNTS ? null : decodeList(data)),
    absence: 'no token accounts',
  }));

/** A token that cannot be split, with what its programs verified. */
export interface SolanaNft {
  /** The mint, or the asset of the Core program. */
  readonly mint: string;
  /** The collection that accepted it: of Token Metadata or Core, or the group of a Token-2022 mint. */
  readonly collection: string | undefined;
  /** The creators who signed its metadata. */
  readonly creators: readonly string[];
  /** The URI of its metadata document. */
  readonly uri: string | undefined;
  /** The mint holds its metadata itself, beyond its first MAX_MINT_BYTES. */
  readonly isUriTooFar?: boolean;
}

/** The NFT of a mint; null for other mints and other accounts. */
export const createNftRead = (mint: string): SolanaRead<SolanaNft | null> => ({
  call: { kind: 'nft', mint },
  decode: (data) => {
    const [account, metadataAccount] = decodeAccounts(data);
    if (!account || readDecimals(account) !== 0) return null;
    const metadata = parseMetadataAccount(metadataAccount);
    const ownMetadata = parseMintMetadata(account.data, mint);
    const isUriTooFar = ownMetadata === null;
    const ownUri = ownMetadata?.uri;
    if (metadata?.mint !== mint) {
      const collection = parseTokenGroup(account.data, mint);
      return { mint, collection, creators: [], uri: ownUri, isUriTooFar };
    }
    const { verifiedCollection: collection, verifiedCreators: creators, uri } = metadata;
    const hasOwnUri = ownUri !== undefined && ownUri !== '';
    return { mint, collection, creators, uri: hasOwnUri ? ownUri : uri, isUriTooFar };
  },
  absence: 'no token mint at this address',
});

const parseMetadataAccount = (account: SolanaAccount | undefined) =>
  account?.programId === TOKEN_METADATA_PROGRAM_ID ? parseTokenMetadata(account.data) : undefined;

/** What a mint says of its token. Texts are as their author wrote them. */
export interface MintDetails {
  readonly decimals: number;
  readonly name: string | undefined;
  readonly symbol: string | undefined;
}

/** The details of a mint, from itself (Token-2022) or from Token Metadata; null for other accounts. */
export const createMintDetailsRead = (mint: string): SolanaRead<MintDetails | null> => ({
  call: { kind: 'nft', mint },
  decode: (data) => {
    const [account, metadataAccount] = decodeAccounts(data);
    const decimals = readDecimals(account);
    if (!account || decimals === undefined) return null;
    const foreign = parseMetadataAccount(metadataAccount);
    const { name, symbol } =
      parseMintMetadata(account.data, mint) ?? (foreign?.mint === mint ? foreign : NO_TEXTS);
    return { decimals, name, symbol };
  },
  absence: 'no token mint at this address',
});

const NO_TEXTS = { name: undefined, symbol: undefined };

/** The assets of the Core program that an owner holds; null for more than 10,000. */
export const createCoreAssetsRead = (owner: string): SolanaRead<readonly SolanaNft[] | null> => ({
  call: { kind: 'core_assets', owner },
  decode: (data) => (data === TOO_MANY_ACCOUNTS ? null : decodeKeyedAccounts(data).flatMap(toCoreNft)),
  absence: 'no assets',
});

function toCoreNft({ address, data }: KeyedAccount): SolanaNft[] {
  const asset = parseCoreAsset(data);
  if (!asset) return [];
  const { collection, verifiedCreators: creators, uri } = asset;
  return [{ mint: address, collection, creators, uri }];
}
