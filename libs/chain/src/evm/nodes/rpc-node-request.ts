import { type EvmAddress } from '@app/dto';
import { type JsonRpcCall } from './json-rpc-client.js';

/** The newest block of a node, as far as one of its responses says. */
export interface ChainHead {
  /** The chain id as contracts see it. */
  readonly chainId?: bigint;
  readonly blockNumber?: bigint;
  /** Block timestamp, seconds since 1970. */
  readonly blockTimestamp?: number;
}

/** A JSON-RPC request and how its result is parsed. */
export interface RpcNodeRequest<T> {
  readonly method: string;
  /** JSON text. `multicall3` is its address on the node; undefined: the request injects it by state override. */
  readonly params: (multicall3: EvmAddress | undefined) => string;
  /** Sent in one batch with the request; `parseResult` gets their results. */
  readonly companions?: readonly JsonRpcCall[];
  /** A longer result is `flooded`. Unset: the client's limit applies, and a longer response is `too_heavy`. */
  readonly maxResultBytes?: number;
  /** A quarter of the usual timeout. */
  readonly shortTimeout?: boolean;
  /** The block that earlier reads were made at, which `params` name. */
  readonly pinnedBlock?: bigint;
  /**
   * Parses the result, a hex text with 0x. Throws RpcNodeError on a result that no healthy node gives.
   * @param companions undefined for a companion without a result
   */
  readonly parseResult: (result: string, companions?: readonly (string | undefined)[]) => T;
  /** What the result says about the node's newest block; a block number only where the newest block was requested. */
  readonly toHead?: (result: T) => ChainHead;
}
