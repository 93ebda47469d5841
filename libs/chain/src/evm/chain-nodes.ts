import { NodeFailure } from './node-failure.js';
import { type RpcProvider } from './rpc-provider.js';

/** The nodes of one chain, asked in the configured order: the next one when a node has no answer. */
export class ChainNodes {
  /** Answered or not, since the start. */
  calls = 0;

  constructor(
    private readonly providers: readonly RpcProvider[],
    private readonly chainName: string,
  ) {}

  /**
   * Resolves with what `interpret` makes of the first usable answer. A NodeFailure from `interpret` counts as the node's,
   * so a node that answers nonsense is passed over too. Rejects with NodeFailure: the most telling one.
   */
  async ask<T>(
    method: string,
    params: string,
    signal: AbortSignal,
    interpret: (result: string) => T,
  ): Promise<T> {
    let failure = new NodeFailure('unavailable', `no RPC URL is configured for ${this.chainName}`);
    for (const provider of this.providers) {
      if (signal.aborted) break;
      this.calls += 1;
      try {
        return interpret(await provider.request(method, params, signal));
      } catch (error) {
        if (!(error instanceof NodeFailure)) throw error;
        if (error.kind === 'reverted' || error.kind === 'out_of_gas') throw error;
        if (failure.kind === 'unavailable') failure = error;
      }
    }
    throw failure;
  }
}
