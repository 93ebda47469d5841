import { type JsonRpc } from './json-rpc.js';
import { NodeFailure, type NodeFailureKind } from './node-failure.js';

/** A node on the wrong chain is asked again after this, in case its operator mended it. */
const recheckAfterMs = 60_000;

/** One finished HTTP request, for metrics. */
export interface NodeCall {
  readonly chainId: number;
  readonly method: string;
  readonly outcome: 'answered' | NodeFailureKind;
}

/** One RPC URL of one chain. It is believed only after it has named its chain. */
export class RpcProvider {
  private readonly url: URL;
  private check?: Promise<void>;

  constructor(
    private readonly rpc: JsonRpc,
    private readonly chainId: number,
    url: string,
    private readonly onCall?: (call: NodeCall) => void,
  ) {
    this.url = new URL(url);
  }

  /** Resolves with a hex text. Rejects with NodeFailure. `params` is JSON text. */
  async request(method: string, params: string, signal: AbortSignal): Promise<string> {
    this.check ??= this.checkChain();
    await this.check;
    return this.send(method, params, signal);
  }

  /** Shared by all who wait for it, so no caller's signal ends it: the time-outs of the transport do. */
  private async checkChain(): Promise<void> {
    try {
      const answer = await this.send('eth_chainId', '[]');
      if (answer === '0x' || BigInt(answer) !== BigInt(this.chainId)) throw new WrongChain();
    } catch (error) {
      this.forgetCheck(error instanceof WrongChain ? recheckAfterMs : 0);
      throw error;
    }
  }

  private async send(method: string, params: string, signal?: AbortSignal): Promise<string> {
    let outcome: NodeCall['outcome'] = 'unavailable';
    try {
      const result = await this.rpc.request(this.url, method, params, signal);
      outcome = 'answered';
      return result;
    } catch (error) {
      if (error instanceof NodeFailure) outcome = error.kind;
      throw error;
    } finally {
      this.onCall?.({ chainId: this.chainId, method, outcome });
    }
  }

  private forgetCheck(afterMs: number): void {
    const forget = (): void => {
      this.check = undefined;
    };
    if (afterMs > 0) setTimeout(forget, afterMs).unref();
    else forget();
  }
}

class WrongChain extends NodeFailure {
  constructor() {
    super('unavailable', 'the node serves another chain');
  }
}
