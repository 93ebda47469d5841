import { context, diag, DiagLogLevel, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { AlwaysOnSampler, BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { Logger } from './logger.js';

/** Spans in the queue: further ones are dropped, so that a collector that is away costs no memory. */
const MAX_QUEUED_SPANS = 2_048;
const MAX_BATCH_SPANS = 512;
const BATCH_WINDOW_MS = 1_000;
const EXPORT_TIMEOUT_MS = 5_000;
const MAX_REASON_LENGTH = 500;

export interface TracerOptions {
  /** Name of the app. */
  name: string;
  /** Base URL of the collector. */
  endpoint: string;
  logger: Logger;
}

/** Registers the SDK of this process. Spans are sent in the background, and nothing waits for the collector. */
export function registerTracerProvider({ name, endpoint, logger }: TracerOptions): BasicTracerProvider {
  logProblems(logger);
  const exporter = new OTLPTraceExporter({
    url: `${endpoint.replace(/\/+$/, '')}/v1/traces`,
    timeoutMillis: EXPORT_TIMEOUT_MS,
  });
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ 'service.name': name, 'service.namespace': 'gatehouse' }),
    // Spans are made for sampled requests only.
    sampler: new AlwaysOnSampler(),
    spanProcessors: [
      new BatchSpanProcessor(exporter, {
        maxQueueSize: MAX_QUEUED_SPANS,
        maxExportBatchSize: MAX_BATCH_SPANS,
        scheduledDelayMillis: BATCH_WINDOW_MS,
        exportTimeoutMillis: EXPORT_TIMEOUT_MS,
      }),
    ],
  });
  trace.setGlobalTracerProvider(provider);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  return provider;
}

/** The SDK reports spans that it drops and exports that fail. */
function logProblems(logger: Logger): void {
  const warn = (reason: string): void => {
    logger.warn({ reason: reason.slice(0, MAX_REASON_LENGTH) }, 'traces are incomplete');
  };
  const ignore = (): void => undefined;
  diag.setLogger(
    { error: warn, warn, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN },
  );
}
