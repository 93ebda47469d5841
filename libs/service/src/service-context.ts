import type { ServiceConfig } from '@app/config';
import type { Logger } from './observability/logger.js';
import type { MetricsService } from './observability/metrics.service.js';
import type { ReadinessService } from './observability/readiness.service.js';

/** Created by bootstrap before the app, and injectable everywhere. */
export class ServiceContext {
  constructor(
    readonly name: string,
    readonly config: ServiceConfig,
    readonly logger: Logger,
    readonly metrics: MetricsService,
    readonly readiness: ReadinessService,
  ) {}
}
