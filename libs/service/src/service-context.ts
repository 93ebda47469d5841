import type { ServiceConfig } from '@app/config';
import type { Logger } from './observability/logger.js';
import type { MetricsService } from './observability/management-server.js';
import type { ReadinessService } from './observability/readiness.service.js';
import { type DynamicModule, Global, Module, type Type } from '@nestjs/common';

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

/** The root module of an app, which provides ServiceContext. */
@Global()
@Module({})
export class ServiceContextModule {
  static forRoot(app: Type, context: () => ServiceContext): DynamicModule {
    return {
      module: ServiceContextModule,
      imports: [app],
      providers: [{ provide: ServiceContext, useFactory: context }],
      exports: [ServiceContext],
    };
  }
}
