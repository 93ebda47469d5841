import { collectDefaultMetrics, Histogram, Registry } from 'prom-client';

/** The registry of the process. Names follow Prometheus' conventions: base units, `_total`, `_seconds`. */
export class MetricsService {
  readonly registry = new Registry();

  private readonly requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Seconds from the arrival of a request to the end of its response.',
    labelNames: ['method', 'operation', 'status'] as const,
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
    registers: [this.registry],
  });

  constructor(service: string) {
    this.registry.setDefaultLabels({ service });
    // The default of 10 ms wakes an idle process a hundred times a second.
    collectDefaultMetrics({ register: this.registry, eventLoopMonitoringPrecision: 100 });
  }

  observeRequest(method: string, operation: string, status: number, milliseconds: number): void {
    this.requests.observe({ method, operation, status }, milliseconds / 1000);
  }
}
