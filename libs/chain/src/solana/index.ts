export { SolanaReader, type SolanaReaderOptions, type SolanaReadOptions } from './batching/solana-reader.js';
export { createSolanaChains, type SolanaChainInfo } from './chains/solana-chains.js';
export {
  createCoreAssetsRead,
  createLamportsRead,
  createMintDecimalsRead,
  createNftRead,
  createSingleUnitReads,
  createTokenBalanceRead,
  type SolanaNft,
} from './reads/reads.js';
export { MAX_MINT_BYTES } from './reads/token-layout.js';
export { type SolanaRead } from './reads/solana-read.js';
