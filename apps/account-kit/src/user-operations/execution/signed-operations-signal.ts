import { WakeUpSignal } from '@app/common';
import { Injectable } from '@nestjs/common';

/** Wakes the executors of this instance. To be notified after the transaction that wrote `signed` has committed. */
@Injectable()
export class SignedOperationsSignal extends WakeUpSignal {
  private readonly chainSignals = new Map<number, WakeUpSignal>();

  /** The signal of one chain, on which the worker of the chain waits. */
  getChainSignal(chainId: number): WakeUpSignal {
    const signal = this.chainSignals.get(chainId) ?? new WakeUpSignal();
    this.chainSignals.set(chainId, signal);
    return signal;
  }

  override notify(): void {
    for (const signal of this.chainSignals.values()) signal.notify();
  }
}
