/**
 * The chains of known-chains.generated.ts that run Arbitrum's software. There `block.number` in a contract is a block of the parent chain
 * (one in about 12 s), while eth_blockNumber and the tags of eth_call count the chain's own blocks (several a second):
 * https://docs.arbitrum.io/arbitrum-essentials/arbitrum-vs-ethereum/block-numbers-and-time
 * A chain that is missing here has its nodes compared more coarsely; a chain that is wrongly here reports no block at all.
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
  // Huddle01: its `sourceId` in viem is Arbitrum
  12323, 2524852,
]);

/** Assumed where the block time of such a chain is unknown. Without transactions the chain produces no blocks. */
export const DEFAULT_ARBITRUM_BLOCK_TIME_MS = 250;

/** ArbSys.arbBlockNumber(): the chain's own block number. Calldata is hex without 0x. */
export const arbBlockNumberCall = {
  to: '0x0000000000000000000000000000000000000064',
  data: 'a3b1b31d',
} as const;

export function isArbitrumChain(chainId: number): boolean {
  return ARBITRUM_CHAIN_IDS.has(chainId);
}
