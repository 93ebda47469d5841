import 'reflect-metadata';
import type {} from 'express-serve-static-core';
import { type Logger, createLogger, createLogDestination, NestLogger } from './observability/logger.js';
import { setTimeout as sleep } from 'node:timers/promises';
import type { INestApplication, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { InvalidConfigurationError, loadConfig, serviceConfigSchema } from '@app/config';
import { acceptMiddleware } from './http/accept-header.js';
import {
  type AnswerFailure,
  BoundedExpressAdapter,
  type EarlyMiddleware,
} from './http/bounded-express-adapter.js';
import { createChallenge, ErrorFilter } from './http/error.filter.js';
import { watchDescriptors } from './http/watch-descriptors.js';
import { createRequestLogMiddleware, createTraceMiddleware } from './http/request.middleware.js';
import { ManagementServer, MetricsService } from './observability/management-server.js';
import { isTracing, startTracing } from './observability/start-tracing.js';
import { ReadinessService } from './observability/readiness.service.js';
import { ServiceContext, ServiceContextModule } from './service-context.js';
import type { Request, Response } from 'express';

declare module 'express-serve-static-core' {
  interface Request {
    requestId: string;
    /** The time at which the request's headers were read, by `performance.now()`. */
    receivedAt: number;
    /** The operation, for logs and metrics: the path may contain tokens. */
    operation?: string;
    /** The trace of the request. */
    traceId?: string;
    /** The authenticated client application. */
    clientId?: string;
  }
}

const FLUSH_TIMEOUT_MS = 1_000;

/** Exits after writing the buffered log lines, or after a timeout when standard output is blocked. */
function flushAndExit(logger: Logger, code: number): void {
  const exit = (): never => process.exit(code);
  setTimeout(exit, FLUSH_TIMEOUT_MS);
  logger.flush(exit);
}

interface ShutdownOptions {
  /** Makes the app not ready. */
  drain: () => void;
  /** The time for load balancers to notice it. */
  delayMs: number;
  /** Finishes running work and closes everything. */
  close: () => Promise<void>;
  /** The process exits with code 1 after this time. */
  graceMs: number;
  logger: Logger;
}

/**
 * Shuts down on SIGTERM, on SIGINT, or when the parent process that spawned it with an IPC channel exits. A second signal
 * skips the delay. Exits with code 0 when everything was closed in time, else 1. Code that shuts the process down because something failed
 * sets `process.exitCode` before it sends the signal.
 */
function shutDownOnSignal({ drain, delayMs, close, graceMs, logger }: ShutdownOptions): void {
  const skipDelay = new AbortController();
  let isShuttingDown = false;

  const shutDown = (reason: string): void => {
    if (isShuttingDown) {
      skipDelay.abort();
      return;
    }
    isShuttingDown = true;
    logger.info({ reason }, 'shutting down');
    setTimeout(() => {
      exit(1, 'shutdown timed out');
    }, graceMs).unref();
    drain();
    void sleep(delayMs, undefined, { signal: skipDelay.signal })
      .catch(() => undefined)
      .then(close)
      .then(
        () => {
          exit(Number(process.exitCode ?? 0), 'shut down');
        },
        (error: unknown) => {
          logger.error({ err: error }, 'shutdown failed');
          exit(1, 'shutdown failed');
        },
      );
  };

  const exit = (code: number, message: string): void => {
    logger.info({ code }, message);
    flushAndExit(logger, code);
  };

  process.on('SIGTERM', shutDown);
  process.on('SIGINT', shutDown);
  if (process.connected) {
    process.once('disconnect', () => {
      shutDown('parent process exited');
    });
  }
}

/** During shutdown asks clients to close their connections, so that none is closed while in use. */
function createDrainMiddleware(readiness: ReadinessService) {
  return (_request: Request, response: Response, next: () => void): void => {
    if (readiness.isDraining) response.setHeader('Connection', 'close');
    next();
  };
}

export interface BootstrapOptions {
  /** The name in logs and metrics, and the audience of principal tokens. */
  name: string;
  module: Type;
  /** Whether clients reach it directly: it starts traces of its own, and continues none. */
  facesClients?: boolean;
  /** The URL that clients know, of an app that faces them: 401 responses name the metadata there. */
  findPublicUrl?: (app: INestApplication) => string;
  /** Called before the app listens. */
  configure?: (app: INestApplication) => void;
  /** Creates what gets requests before Express, and calls `next` for those that it leaves to Express. */
  createFirstHandler?: (app: INestApplication) => FirstHandler;
}

/** What it throws is answered like an error of a controller. */
export type FirstHandler = (request: Request, response: Response, next: () => void) => Promise<void> | void;

/** @param handle rejects or throws with what `fail` answers */
const withErrors =
  (handle: FirstHandler, fail: AnswerFailure): EarlyMiddleware =>
  (request, response, next) => {
    const answer = async (): Promise<void> => {
      try {
        await handle(request, response, next);
      } catch (error) {
        fail(error, request, response);
      }
    };
    void answer();
  };

/** Answers like `errors`. Nobody would catch what `errors` throws, and the process would end. */
const createAnswerFailure =
  (errors: ErrorFilter, logger: Logger): AnswerFailure =>
  (error, request, response) => {
    try {
      errors.respond(error, request, response);
    } catch (err) {
      logger.error({ requestId: request.requestId, err }, 'an error could not be answered');
      response.destroy();
    }
  };

function createContext(name: string): ServiceContext {
  const config = loadConfig(serviceConfigSchema);
  const metrics = new MetricsService(name);
  const destination = createLogDestination(metrics.registry);
  const logger = createLogger(name, config.LOG_LEVEL, destination, isTracing(config));
  return new ServiceContext(name, config, logger, metrics, new ReadinessService());
}

async function createApp(
  context: ServiceContext,
  { module, facesClients = false, findPublicUrl, createFirstHandler }: BootstrapOptions,
  adapter: BoundedExpressAdapter,
): Promise<INestApplication> {
  const root = ServiceContextModule.forRoot(module, () => context);
  const { logger, metrics, config, readiness } = context;
  const app = await NestFactory.create(root, adapter, {
    bodyParser: false,
    abortOnError: false,
    logger: new NestLogger(logger),
  });
  const challenge = createChallenge(findPublicUrl?.(app));
  const errors = new ErrorFilter(logger, config.NODE_ENV === 'development', challenge);
  app.useGlobalFilters(errors);
  const fail = createAnswerFailure(errors, logger);
  const middlewares = [
    ...(isTracing(config) ? [createTraceMiddleware(facesClients, config.OTEL_TRACES_SAMPLER_ARG)] : []),
    createRequestLogMiddleware(logger, metrics),
    createDrainMiddleware(readiness),
    acceptMiddleware,
    ...(createFirstHandler ? [withErrors(createFirstHandler(app), fail)] : []),
  ];
  adapter.useBeforeExpress(middlewares, fail);
  return app;
}

async function run(options: BootstrapOptions): Promise<void> {
  const context = createContext(options.name);
  const { config, logger, readiness } = context;
  exitOnUncaughtError(logger);
  const tracing = await startTracing(context);
  const management = new ManagementServer(readiness, context.metrics);
  await management.listen(config.MANAGEMENT_PORT, config.HOST);
  const adapter = new BoundedExpressAdapter();
  const app = await createApp(context, options, adapter);
  options.configure?.(app);
  const stopWatching = watchDescriptors(adapter.getHttpServer(), context.metrics.registry, logger);
  shutDownOnSignal({
    drain: () => {
      readiness.drain();
    },
    delayMs: config.SHUTDOWN_DELAY_MS,
    graceMs: config.SHUTDOWN_GRACE_MS,
    close: async () => {
      // The adapter drains before Nest closes providers that running handlers use.
      await adapter.drain();
      stopWatching();
      await app.close();
      await management.close();
      await tracing?.stop();
    },
    logger,
  });
  await app.listen(config.PORT, config.HOST);
  logger.info({ address: await app.getUrl() }, 'listening');
}

/** The process is in an unknown state; the orchestrator starts a new one. */
function exitOnUncaughtError(logger: Logger): void {
  const exit = (error: unknown): void => {
    logger.fatal({ err: error }, 'uncaught error');
    flushAndExit(logger, 1);
  };
  process.on('uncaughtException', exit);
  process.on('unhandledRejection', exit);
}

/** Starts an app. Exits with a message and code 78 (EX_CONFIG) for an invalid configuration, else with code 1. */
export function bootstrap(options: BootstrapOptions): void {
  run(options).catch((error: unknown) => {
    const isConfiguration = error instanceof InvalidConfigurationError;
    const text = isConfiguration ? error.message : error instanceof Error ? error.stack : String(error);
    process.stderr.write(`${options.name}: ${text ?? 'failed to start'}\n`);
    process.exit(isConfiguration ? 78 : 1);
  });
}
