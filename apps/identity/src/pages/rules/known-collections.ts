import { isSolanaChain } from '@app/dto';

/** A token or a collection that people ask for by its name. */
export interface KnownCollection {
  readonly name: string;
  readonly chainId: number;
  /** With its checksum. */
  readonly address: string;
  /** What people also call it, the symbol first. */
  readonly aliases: readonly string[];
}

const ETHEREUM = 1;

/** Chain, address, name, and what people also call it. */
const TABLE: readonly (readonly [number, string, string, ...string[]])[] = [
  [
    ...([ETHEREUM, '0xBC4CA0EdA7647A8aB7C2061c2E118A18a936f13D', 'Bored Ape Yacht Club'] as const),
    ...['BAYC', 'Bored Apes', 'Bored Ape'],
  ],
  [
    ...([ETHEREUM, '0x60E4d786628Fea6478F785A6d7e704777c86a7c6', 'Mutant Ape Yacht Club'] as const),
    ...['MAYC', 'Mutant Apes', 'Mutant Ape'],
  ],
  [
    ...([ETHEREUM, '0xba30E5F9Bb24caa003E9f2f0497Ad287FDF95623', 'Bored Ape Kennel Club'] as const),
    ...['BAKC', 'Bored Ape Kennel'],
  ],
  [
    ETHEREUM,
    '0xb47e3cd837dDF8e4c57F05d70Ab865de6e193BBB',
    'CryptoPunks',
    'Punks',
    'Crypto Punks',
    'CryptoPunk',
  ],
  [ETHEREUM, '0x7Bd29408f11D2bFC23c34f18275bBf23bB716Bc7', 'Meebits', 'Meebit'],
  [ETHEREUM, '0xED5AF388653567Af2F388E6224dC7C4b3241C544', 'Azuki', 'AZUKI', 'Azukis'],
  [ETHEREUM, '0xBd3531dA5CF5857e7CfAA92426877b022e612cf8', 'Pudgy Penguins', 'PPG', 'Pudgies', 'Penguins'],
  [ETHEREUM, '0x524cAB2ec69124574082676e6F654a18df49A048', 'Lil Pudgys', 'LP', 'Lil Pudgies'],
  [ETHEREUM, '0x8a90CAb2b38dba80c64b7734e58Ee1dB38B8992e', 'Doodles', 'DOODLE', 'Doodle'],
  [ETHEREUM, '0x23581767a106ae21c074b2276D25e5C3e136a68b', 'Moonbirds', 'MOONBIRD', 'Moonbird'],
  [ETHEREUM, '0x49cF6f5d44E70224e2E23fDcdd2C053F30aDA28B', 'CloneX', 'Clone X'],
  [ETHEREUM, '0x5Af0D9827E0c53E4799BB226655A1de152A425a5', 'Milady Maker', 'MIL', 'Milady', 'Miladys'],
  [ETHEREUM, '0x1A92f7381B9F03921564a437210bB9396471050C', 'Cool Cats', 'COOL', 'Cool Cats NFT'],
  [ETHEREUM, '0xe785E82358879F061BC3dcAC6f0444462D4b5330', 'World of Women', 'WOW'],
  [ETHEREUM, '0x9C8fF314C9Bc7F6e59A9d9225Fb22946427eDC03', 'Nouns', 'NOUN', 'Nouns DAO'],
  [ETHEREUM, '0x34d85c9CDeB23FA97cb08333b511ac86E1C4E258', 'Otherdeed', 'OTHR', 'Otherside', 'Otherdeeds'],
  [ETHEREUM, '0x79FCDEF22feeD20eDDacbB2587640e45491b757f', 'mfers', 'MFER', 'mfer'],
  [ETHEREUM, '0x57f1887a8BF19b14fC0dF6Fd9B2acc9Af147eA85', 'Ethereum Name Service', 'ENS', 'ENS names'],
  [ETHEREUM, '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', 'USD Coin', 'USDC'],
  [8453, '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', 'USD Coin', 'USDC'],
  [137, '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359', 'USD Coin', 'USDC'],
  [42161, '0xaf88d065e77c8cC2239327C5EDb3A432268e5831', 'USD Coin', 'USDC'],
  [10, '0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85', 'USD Coin', 'USDC'],
  [8_000_000_000_101, 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', 'USD Coin', 'USDC'],
  [ETHEREUM, '0xdAC17F958D2ee523a2206206994597C13D831ec7', 'Tether USD', 'USDT', 'Tether'],
  [ETHEREUM, '0x6B175474E89094C44Da98b954EedeAC495271d0F', 'Dai', 'DAI'],
  [ETHEREUM, '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2', 'Wrapped Ether', 'WETH'],
  [ETHEREUM, '0x2260FAC5E5542a773Aa44fBCfeDf7C193bc2C599', 'Wrapped Bitcoin', 'WBTC', 'Wrapped BTC'],
  [ETHEREUM, '0x514910771AF9Ca656af840dff83E8264EcF986CA', 'Chainlink', 'LINK'],
  [ETHEREUM, '0x1f9840a85d5aF5bf1D1762F925BDADdC4201F984', 'Uniswap', 'UNI'],
  [ETHEREUM, '0x95aD61b0a150d79219dCF64E1E6Cc01f0B64C4cE', 'Shiba Inu', 'SHIB'],
  [ETHEREUM, '0x6982508145454Ce325dDbE47a25d4ec3d2311933', 'Pepe', 'PEPE'],
  [ETHEREUM, '0x4d224452801ACEd8B2F0aebE155379bb5D594381', 'ApeCoin', 'APE', 'Ape Coin'],
];

export const KNOWN_COLLECTIONS: readonly KnownCollection[] = TABLE.map(
  ([chainId, address, name, ...aliases]) => ({ chainId, address, name, aliases }),
);

/** What remains of a name when nobody minds case, spaces and marks. */
const fold = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');

/**
 * The collections with exactly this name; where there is none, the ones whose name contains it.
 * @param own collections of the deployment, which come first
 */
export function findCollectionsByName(name: string, own: readonly KnownCollection[] = []): KnownCollection[] {
  const wanted = fold(name);
  if (wanted.length < 2) return [];
  const all = [...own, ...KNOWN_COLLECTIONS];
  const exact = all.filter((one) => [one.name, ...one.aliases].some((text) => fold(text) === wanted));
  if (exact.length > 0 || wanted.length < 3) return exact;
  // A person who has many of something names it in the plural.
  const singular = wanted.length > 3 ? wanted.replace(/s$/, '') : wanted;
  return all.filter((one) => [one.name, ...one.aliases].some((text) => fold(text).includes(singular)));
}

/** Whether somebody who reads this name takes it for one of these collections. */
export const isKnownName = (name: string): boolean => KNOWN_NAMES.has(fold(name));

const KNOWN_NAMES: ReadonlySet<string> = new Set(
  KNOWN_COLLECTIONS.flatMap((one) => [one.name, ...one.aliases].map(fold)),
);

/** The collection at an address, which counts in any case except on Solana. */
export function findCollectionAt(
  chainId: number,
  address: string,
  own: readonly KnownCollection[] = [],
): KnownCollection | undefined {
  const toKey = (text: string): string => (isSolanaChain(chainId) ? text : text.toLowerCase());
  const wanted = toKey(address);
  return [...own, ...KNOWN_COLLECTIONS].find(
    (one) => one.chainId === chainId && toKey(one.address) === wanted,
  );
}
