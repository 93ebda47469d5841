import { SOLANA_CLUSTERS } from '@app/dto';

const [SOLANA, SOLANA_TESTNET, SOLANA_DEVNET] = SOLANA_CLUSTERS;

/** Chains as marketplaces and wallets name them in links. */
const CHAINS_BY_NAME: Readonly<Record<string, number>> = {
  ...{ ethereum: 1, eth: 1, mainnet: 1 },
  ...{ optimism: 10, op: 10, oeth: 10, 'op-mainnet': 10 },
  ...{ bsc: 56, bnb: 56, binance: 56, 'bnb-smart-chain': 56, bnbt: 97 },
  ...{ gnosis: 100, gno: 100, xdai: 100 },
  ...{ unichain: 130 },
  ...{ polygon: 137, matic: 137, pol: 137 },
  ...{ shape: 360, world_chain: 480, 'world-chain': 480, worldchain: 480 },
  ...{ zksync: 324, 'zksync-era': 324, hyperevm: 999, sei: 1329, soneium: 1868, ronin: 2020, abstract: 2741 },
  ...{ base: 8453, ape_chain: 33139, apechain: 33139, 'ape-chain': 33139 },
  ...{ arbitrum: 42161, arb: 42161, arb1: 42161, 'arbitrum-one': 42161 },
  ...{ arbitrum_nova: 42170, 'arbitrum-nova': 42170, celo: 42220 },
  ...{ avalanche: 43114, avax: 43114, 'avalanche-c-chain': 43114, avalanche_fuji: 43113 },
  ...{ linea: 59144, bera_chain: 80094, berachain: 80094, blast: 81457, scroll: 534352, zora: 7777777 },
  ...{ sepolia: 11155111, sep: 11155111, zsep: 999999999 },
  ...{ base_sepolia: 84532, 'base-sepolia': 84532, bsep: 84532 },
  ...{ arbitrum_sepolia: 421614, 'arbitrum-sepolia': 421614, amoy: 80002, 'polygon-amoy': 80002 },
  ...{ optimism_sepolia: 11155420, 'optimism-sepolia': 11155420 },
  solana: SOLANA.id,
};

export const findChainByName = (name: string): number | undefined => {
  const key = name.toLowerCase();
  return Object.hasOwn(CHAINS_BY_NAME, key) ? CHAINS_BY_NAME[key] : undefined;
};

/** A marketplace, or another site whose links name the chain in the path. */
export interface ContractLinkSite {
  readonly name: string;
  /** The chain of links that name none. */
  readonly chainId?: number;
  /** Path segments that precede the name of a collection, which does not say the contract. */
  readonly collections?: readonly string[];
}

const COLLECTION = ['collection', 'collections'] as const;

/** Sites by their host, without `www.`. */
const SITES: Readonly<Record<string, ContractLinkSite>> = {
  'opensea.io': { name: 'OpenSea', chainId: 1, collections: COLLECTION },
  'pro.opensea.io': { name: 'OpenSea', chainId: 1, collections: COLLECTION },
  'testnets.opensea.io': { name: 'OpenSea', collections: COLLECTION },
  'blur.io': { name: 'Blur', chainId: 1, collections: COLLECTION },
  'rarible.com': { name: 'Rarible', chainId: 1, collections: COLLECTION },
  'og.rarible.com': { name: 'Rarible', chainId: 1, collections: COLLECTION },
  'testnet.rarible.com': { name: 'Rarible', collections: COLLECTION },
  'magiceden.io': { name: 'Magic Eden', collections: [...COLLECTION, 'marketplace'] },
  'magiceden.us': { name: 'Magic Eden', collections: [...COLLECTION, 'marketplace'] },
  'zora.co': { name: 'Zora' },
  'testnet.zora.co': { name: 'Zora' },
  'looksrare.org': { name: 'LooksRare', chainId: 1, collections: COLLECTION },
  'x2y2.io': { name: 'X2Y2', chainId: 1, collections: COLLECTION },
  'foundation.app': { name: 'Foundation', chainId: 1 },
  'app.uniswap.org': { name: 'Uniswap' },
  'oklink.com': { name: 'OKLink' },
  'tensor.trade': { name: 'Tensor', chainId: SOLANA.id, collections: ['trade'] },
  'coingecko.com': { name: 'CoinGecko', collections: ['coins'] },
  'coinmarketcap.com': { name: 'CoinMarketCap', collections: ['currencies'] },
  'dexscreener.com': { name: 'DEX Screener' },
};

const SOLANA_EXPLORERS: readonly string[] = [
  'solscan.io',
  'explorer.solana.com',
  'solana.fm',
  'xray.helius.xyz',
  'orb.helius.dev',
  'solanabeach.io',
];

const withoutWww = (host: string): string => host.replace(/^www\./, '');

export const findLinkSite = (host: string): ContractLinkSite | undefined => {
  const key = withoutWww(host);
  return Object.hasOwn(SITES, key) ? SITES[key] : undefined;
};

export const isSolanaExplorer = (host: string): boolean => SOLANA_EXPLORERS.includes(withoutWww(host));

/** The cluster that explorers of Solana show for `?cluster=`. Undefined for clusters of somebody's own. */
export function findCluster(name: string | null): number | undefined {
  switch (name ?? 'mainnet') {
    case '':
    case 'mainnet':
    case 'mainnet-beta':
    case 'mainnet-alpha':
      return SOLANA.id;
    case 'devnet':
    case 'devnet-solana':
      return SOLANA_DEVNET.id;
    case 'testnet':
    case 'testnet-solana':
      return SOLANA_TESTNET.id;
    default:
      return undefined;
  }
}
