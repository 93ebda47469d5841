import { NodeFailure } from './node-failure.js';
import { type RpcProvider } from './rpc-provider.js';

/** The nodes of one chain, asked in the configured order: the next one when a node has no answer. */
export class ChainNodes {
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
    let failure: NodeFailure | undefined;
    for (const provider of this.providers) {
      if (signal.aborted) break;
      try {
        return interpret(await provider.request(method, params, signal));
      } catch (error) {
        if (!(error instanceof NodeFailure)) throw error;
        if (error.kind === 'reverted' || error.kind === 'out_of_gas') throw error;
        if (!failure || failure.kind === 'unavailable') failure = error;
      }
    }
    throw failure ?? new NodeFailure('unavailable', this.silence());
  }

  private silence(): string {
    return this.providers.length === 0
      ? `no RPC URL is configured for ${this.chainName}`
      : 'the time for asking was up';
  }
}
