export { SolanaReader, type SolanaReaderOptions, type SolanaReadOptions } from './solana-reader.js';
export { createSolanaChains, type SolanaChainInfo } from './solana-chains.js';
export {
  createCoreAssetsRead,
  createLamportsRead,
  createMintDecimalsRead,
  createMintDetailsRead,
  createNftRead,
  createSingleUnitReads,
  createTokenBalanceRead,
  type MintDetails,
  type SolanaNft,
} from '../reads/solana/reads.js';
export { MAX_MINT_BYTES } from '../reads/solana/token-layout.js';
export { type SolanaRead } from '../reads/solana/solana-read.js';
