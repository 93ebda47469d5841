import { collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { ReadinessService } from './readiness.service.js';

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

/** Serves /health/live, /health/ready and /metrics on a port that the gateway does not forward to. */
export class ManagementServer {
  private readonly server: Server;

  constructor(
    private readonly readiness: ReadinessService,
    private readonly metrics: MetricsService,
  ) {
    this.server = createServer({ requestTimeout: 5_000 }, (request, response) => {
      this.handle(request, response).catch((error: unknown) => {
        response.writeHead(500).end(String(error));
      });
    });
  }

  async listen(port: number, host: string): Promise<void> {
    this.server.listen(port, host);
    await once(this.server, 'listening');
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    switch (request.url) {
      case '/health/live':
        sendJson(response, 200, { status: 'ok' });
        return;
      case '/health/ready': {
        const { ready, checks } = await this.readiness.report();
        sendJson(response, ready ? 200 : 503, { status: ready ? 'ok' : 'unavailable', checks });
        return;
      }
      case '/metrics':
        response.writeHead(200, { 'Content-Type': this.metrics.registry.contentType });
        response.end(await this.metrics.registry.metrics());
        return;
      default:
        sendJson(response, 404, { status: 'not found' });
    }
  }
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8' }).end(JSON.stringify(body));
}
