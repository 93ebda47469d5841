/**
 * The chains of known-chains.ts that produce a block every block time, with or without transactions: only there does the age of
 * the newest block show that a node is stuck. Other chains produce blocks on demand (ZKsync, Avalanche, Linea, Arbitrum's
 * software …). On a chain that is missing here stuck nodes go undetected; one that is wrongly here cannot be read in quiet times.
 */
const FIXED_BLOCK_TIME_CHAIN_IDS: ReadonlySet<number> = new Set([
  // Proof of stake with fixed slots: Ethereum, Gnosis and Chiado, PulseChain and its test net
  1, 100, 10200, 369, 943,
  // BNB Smart Chain, Polygon, Berachain and Bepolia, Tron
  56, 137, 80094, 80069, 728126428,
  // The OP stack derives one block per block time: https://specs.optimism.io/protocol/derivation.html
  10, 130, 252, 360, 480, 690, 919, 1135, 1301, 1750, 1868, 1923, 1924, 1946, 2522, 4202, 4801, 5330, 8453,
  11011, 17069, 34443, 42220, 53302, 57073, 60808, 81224, 81457, 84532, 91342, 763373, 808813, 7777777,
  11142220, 11155420, 999999999,
]);

export function isFixedBlockTimeChain(chainId: number): boolean {
  return FIXED_BLOCK_TIME_CHAIN_IDS.has(chainId);
}
