import { MINUTE_MS } from '@app/common';
import { Gauge, type GaugeConfiguration, type Registry } from 'prom-client';

/** Identity counts as unavailable after this time without a response. */
const OUTAGE_AFTER_MS = 30_000;
/** How long cached data stays valid during an outage of identity. */
const STALE_IF_ERROR_MS = 10 * MINUTE_MS;
const MAX_STALENESS_MS = OUTAGE_AFTER_MS + STALE_IF_ERROR_MS;

/** Measures how old data of identity is, reports it as a gauge, and distrusts it when it is too old. */
export class StalenessMonitor {
  private lastSuccessAtMs = -Infinity;

  constructor(gauge: Pick<GaugeConfiguration<string>, 'name' | 'help'>, registry: Registry) {
    const staleness = new Gauge({
      ...gauge,
      registers: [registry],
      collect: () => {
        staleness.set(Math.min(this.staleForMs, Number.MAX_SAFE_INTEGER) / 1_000);
      },
    });
  }

  recordSuccess(): void {
    this.lastSuccessAtMs = performance.now();
  }

  /** Whether the data is recent enough to be used. */
  get isTrusted(): boolean {
    return this.staleForMs <= MAX_STALENESS_MS;
  }

  private get staleForMs(): number {
    return performance.now() - this.lastSuccessAtMs;
  }
}
