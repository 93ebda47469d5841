import { formatErrorReason, hasFinishedWithin } from '@app/common';
import type { ServiceConfig } from '@app/config';
import type { ServiceContext } from '../service-context.js';

/** The time for the spans of the last second; a collector that does not take them delays no shutdown. */
const STOP_TIMEOUT_MS = 1_000;

export interface Tracing {
  /** Sends the spans that are left. */
  stop: () => Promise<void>;
}

export const isTracing = (config: ServiceConfig): boolean => config.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined;

/** Loads the SDK where a collector is configured. Elsewhere `@opentelemetry/api` does nothing. */
export async function startTracing({ name, config, logger }: ServiceContext): Promise<Tracing | undefined> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } = config;
  if (endpoint === undefined) return undefined;
  const { registerTracerProvider } = await import('./tracer-provider.js');
  const provider = registerTracerProvider({ name, endpoint, logger });
  return {
    stop: async () => {
      try {
        await hasFinishedWithin(STOP_TIMEOUT_MS, provider.shutdown());
      } catch (error) {
        logger.warn({ reason: formatErrorReason(error) }, 'the last traces were not sent');
      }
    },
  };
}
