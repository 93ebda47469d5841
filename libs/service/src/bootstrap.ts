import 'reflect-metadata';
import './http/request-extensions.js';
import type { INestApplication, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { InvalidConfigurationError, loadConfig, serviceConfigSchema } from '@app/config';
import { BoundedExpressAdapter } from './http/bounded-express-adapter.js';
import { ErrorFilter } from './http/error.filter.js';
import { createRequestLogMiddleware } from './http/request-log.middleware.js';
import { flushAndExit } from './observability/flush-and-exit.js';
import { createLogger, type Logger } from './observability/logger.js';
import { NestLogger } from './observability/nest-logger.js';
import { ManagementServer } from './observability/management-server.js';
import { MetricsService } from './observability/metrics.service.js';
import { ReadinessService } from './observability/readiness.service.js';
import { ServiceContext } from './service-context.js';
import { ServiceContextModule } from './service-context.module.js';
import { shutDownOnSignal } from './shut-down-on-signal.js';
import type { NextFunction, Request, Response } from 'express';

/** Tells callers with each answer that this connection is the last of its kind, so that none is cut in use. */
export function createDrainMiddleware(readiness: ReadinessService) {
  return (_request: Request, response: Response, next: NextFunction): void => {
    if (readiness.isDraining) response.setHeader('Connection', 'close');
    next();
  };
}

export interface BootstrapOptions {
  /** The app's name: in its logs, its metrics, and as the audience of its principal tokens. */
  name: string;
  module: Type;
  /** What this app does differently, before it listens. */
  configure?: (app: INestApplication) => void;
}

function createContext(name: string): ServiceContext {
  const config = loadConfig(serviceConfigSchema);
  const logger = createLogger(name, config.LOG_LEVEL);
  return new ServiceContext(name, config, logger, new MetricsService(name), new ReadinessService());
}

async function createApp(
  context: ServiceContext,
  module: Type,
  adapter: BoundedExpressAdapter,
): Promise<INestApplication> {
  const root = ServiceContextModule.forRoot(module, () => context);
  const { logger, metrics, config, readiness } = context;
  const app = await NestFactory.create(root, adapter, {
    bodyParser: false,
    abortOnError: false,
    logger: new NestLogger(logger),
  });
  app.use(createRequestLogMiddleware(logger, metrics));
  app.use(createDrainMiddleware(readiness));
  app.useGlobalFilters(new ErrorFilter(logger, config.NODE_ENV === 'development'));
  return app;
}

async function run({ name, module, configure }: BootstrapOptions): Promise<void> {
  const context = createContext(name);
  const { config, logger, readiness } = context;
  exitOnUncaughtError(logger);
  const management = new ManagementServer(readiness, context.metrics);
  await management.listen(config.MANAGEMENT_PORT, config.HOST);
  const adapter = new BoundedExpressAdapter();
  const app = await createApp(context, module, adapter);
  configure?.(app);
  shutDownOnSignal({
    drain: () => {
      readiness.drain();
    },
    delayMs: config.SHUTDOWN_DELAY_MS,
    graceMs: config.SHUTDOWN_GRACE_MS,
    close: async () => {
      // Nest would take down what handlers use before it stops asking them.
      await adapter.drain();
      await app.close();
      await management.close();
    },
    logger,
  });
  await app.listen(config.PORT, config.HOST);
  logger.info({ address: await app.getUrl() }, 'listening');
}

/** A state that nobody planned for is left at once: the orchestrator starts a fresh process. */
function exitOnUncaughtError(logger: Logger): void {
  const die = (error: unknown): void => {
    logger.fatal({ err: error }, 'unexpected failure');
    flushAndExit(logger, 1);
  };
  process.on('uncaughtException', die);
  process.on('unhandledRejection', die);
}

/** Starts an app. A configuration that cannot be used ends it with a readable message and exit code 78 (EX_CONFIG). */
export function bootstrap(options: BootstrapOptions): void {
  run(options).catch((error: unknown) => {
    const isConfiguration = error instanceof InvalidConfigurationError;
    const text = isConfiguration ? error.message : error instanceof Error ? error.stack : String(error);
    process.stderr.write(`${options.name}: ${text ?? 'failed to start'}\n`);
    process.exit(isConfiguration ? 78 : 1);
  });
}
