import { type Address } from '../codec/abi-encode.js';

/** How far a node is, as one of its answers tells. */
export interface ChainHead {
  readonly blockNumber?: bigint;
  /** The block's own time, seconds since 1970. */
  readonly blockTimestamp?: number;
}

/** One JSON-RPC question, and what its answer means. */
export interface RpcNodeRequest<T> {
  readonly method: string;
  /** JSON text. `multicall3` is where it stands on the node that is asked; undefined: the question brings it along. */
  readonly params: (multicall3: Address | undefined) => string;
  /** A result beyond this is `flooded`; unset: what the transport bears, and `too_heavy` beyond. */
  readonly maxResultBytes?: number;
  /** To be answered in a quarter of the usual time. */
  readonly shortTimeout?: boolean;
  /** Makes something of the result, a hex text with 0x. Throws NodeFailure on what no good node answers. */
  readonly parseResult: (result: string) => T;
  /** What the answer tells of the node; a block only where the newest one was asked for. */
  readonly toHead?: (answer: T) => ChainHead;
}
