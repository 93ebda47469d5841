import type { Logger } from 'pino';
import type { Registry } from 'prom-client';

/** What queues need of the app around them. @app/service's ServiceContext is one. */
export interface QueuesContext {
  readonly name: string;
  readonly logger: Logger;
  readonly metrics: { readonly registry: Registry };
  readonly readiness: {
    /** Called once when the app is told to end, before it starts to close. */
    onDrain: (listener: () => void) => void;
    /** Something that the app cannot begin without, and can lose later. The check rejects with the reason. */
    requireAtFirst: (name: string, check: () => Promise<void>) => void;
  };
}

export const QUEUES_CONTEXT = Symbol('QueuesContext');
