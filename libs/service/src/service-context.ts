import type { ServiceConfig } from '@app/config';
import type { Logger } from './logging/logger.js';
import type { Metrics } from './management/metrics.js';
import type { Readiness } from './management/readiness.js';

/** What bootstrap makes before the app exists. Injectable everywhere under this class. */
export class ServiceContext {
  constructor(
    readonly name: string,
    readonly config: ServiceConfig,
    readonly logger: Logger,
    readonly metrics: Metrics,
    readonly readiness: Readiness,
  ) {}
}
