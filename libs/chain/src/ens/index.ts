// An entry of its own: it loads viem, which apps without a node of the chain of ENS do not need.
export { EnsNameReader, normaliseEnsName, type EnsNameReaderOptions } from './ens-name-reader.js';
