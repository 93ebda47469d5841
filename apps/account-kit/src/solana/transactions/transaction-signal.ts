import { WakeUpSignal } from '@app/common';
import { Injectable } from '@nestjs/common';
import type { SolanaNetwork } from '../solana-network.js';

/** Wakes the workers of this instance when a transaction is signed. */
@Injectable()
export class TransactionSignal extends WakeUpSignal {
  private readonly signals = new Map<SolanaNetwork, WakeUpSignal>();

  /** The signal of one network, on which the worker of the network waits. */
  getNetworkSignal(network: SolanaNetwork): WakeUpSignal {
    const signal = this.signals.get(network) ?? new WakeUpSignal();
    this.signals.set(network, signal);
    return signal;
  }

  override notify(): void {
    for (const signal of this.signals.values()) signal.notify();
  }
}
