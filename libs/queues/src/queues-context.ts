import type { Logger } from 'pino';
import type { Registry } from 'prom-client';

/** The app around the queues; ServiceContext of @app/service implements it. */
export interface QueuesContext {
  readonly name: string;
  readonly logger: Logger;
  readonly metrics: { readonly registry: Registry };
  readonly readiness: {
    onDrain: (listener: () => void) => void;
    addCheck: (name: string, check: () => void) => void;
    addStartupCheck: (name: string, check: () => Promise<void>) => void;
  };
}

export const QUEUES_CONTEXT = Symbol('QueuesContext');
