/**
 * Chains of Arbitrum's software among those of known-chains.ts. To a contract `block.number` is there a block of the parent
 * chain, one in about 12 s, while eth_blockNumber and the tags of eth_call count the chain's own, several a second:
 * https://docs.arbitrum.io/arbitrum-essentials/arbitrum-vs-ethereum/block-numbers-and-time
 * One that is missing here is compared more coarsely; one too many would tell no block at all.
 */
const ARBITRUM_CHAIN_IDS: ReadonlySet<number> = new Set([
  // Arbitrum One, Nova, Goerli, Sepolia
  42161, 42170, 421613, 421614,
  // https://docs.camelot.exchange/contracts/orbit-chains; orbitChainsList.ts of github.com/OffchainLabs/arbitrum-token-bridge
  1625,
  1729, 1996, 12324, 12325, 33111, 33139, 41455, 41923, 55244, 98866, 98867, 656476, 660279, 21000000,
  21000001, 666666666, 37714555429,
  // Robinhood Chain: https://docs.robinhood.com/chain/connecting; HYCHAIN: https://l2beat.com/scaling/projects/hychain
  4663,
  46630, 2911, 29112,
  // Huddle01, whose source chain is Arbitrum by viem's definition
  12323, 2524852,
]);

/** What is assumed where such a chain's block time is not known; while nobody sends a transaction it makes no block at all. */
export const DEFAULT_ARBITRUM_BLOCK_TIME_MS = 250;

/** ArbSys.arbBlockNumber(): the chain's own count of blocks. Calldata is hex without 0x. */
export const arbBlockNumberCall = {
  to: '0x0000000000000000000000000000000000000064',
  data: 'a3b1b31d',
} as const;

export function isArbitrumChain(chainId: number): boolean {
  return ARBITRUM_CHAIN_IDS.has(chainId);
}
