import { knownChains } from '../evm/chains/known-chains.generated.js';
import { knownExplorers } from './known-explorers.generated.js';

/** Explorers that viem does not list, which people paste links of. */
const MORE_EXPLORERS: Readonly<Record<string, number>> = {
  'eth.blockscout.com': 1,
  'ethplorer.io': 1,
  'explorer.optimism.io': 10,
  'optimism.blockscout.com': 10,
  'gnosis.blockscout.com': 100,
  'polygon.blockscout.com': 137,
  'era.zksync.network': 324,
  'zksync.blockscout.com': 324,
  'base.blockscout.com': 8453,
  'arbitrum.blockscout.com': 42161,
  'snowscan.xyz': 43114,
  'avascan.info': 43114,
  'testnet.snowscan.xyz': 43113,
  'celoscan.io': 42220,
  'scroll.blockscout.com': 534352,
  'base-sepolia.blockscout.com': 84532,
  'arbitrum-sepolia.blockscout.com': 421614,
  'eth-sepolia.blockscout.com': 11155111,
  'sepolia-optimism.etherscan.io': 11155420,
};

const parseTable = (table: string): string[][] =>
  table
    .trim()
    .split('\n')
    .map((row) => row.split('\t'));

let chainsByHost: ReadonlyMap<string, number> | undefined;
let namesById: ReadonlyMap<number, string> | undefined;

/** The chain whose contracts an explorer shows, by the host of a link in lower case. Undefined where it shows several, or is unknown. */
export function findExplorerChain(host: string): number | undefined {
  chainsByHost ??= new Map([
    ...parseTable(knownExplorers).map(([name = '', id]): [string, number] => [name, Number(id)]),
    ...Object.entries(MORE_EXPLORERS),
  ]);
  return chainsByHost.get(host) ?? chainsByHost.get(host.replace(/^www\./, ''));
}

/** The name of an EVM chain, also of one for which a deployment has no node. */
export function findKnownChainName(chainId: number): string | undefined {
  namesById ??= new Map(parseTable(knownChains).map(([id, name = '']) => [Number(id), name]));
  return namesById.get(chainId);
}
