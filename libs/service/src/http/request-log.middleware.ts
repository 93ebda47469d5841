import { REQUEST_ID_HEADER, resolveRequestId } from '@app/common';
import type { NextFunction, Request, Response } from 'express';
import { type Logger, createRequestLogger } from '../observability/logger.js';
import type { MetricsService } from '../observability/metrics.service.js';

/** Gives every request its id and, when it has ended, one log line and one observation. */
export function createRequestLogMiddleware(logger: Logger, metrics: MetricsService) {
  const log = createRequestLogger(logger);
  return (request: Request, response: Response, next: NextFunction): void => {
    const startedAt = performance.now();
    request.requestId = resolveRequestId(request.headers[REQUEST_ID_HEADER]);
    response.setHeader('X-Request-Id', request.requestId);
    response.once('close', () => {
      const { method, requestId } = request;
      const milliseconds = performance.now() - startedAt;
      // A path can hold tokens: only the name of what it matched is written down.
      const operation = request.operation ?? routeOf(request) ?? 'unmatched';
      const status = response.writableFinished ? response.statusCode : 499;
      metrics.observeRequest(method, operation, status, milliseconds);
      const line = {
        requestId,
        method,
        operation,
        status,
        client: request.clientId,
        ms: Math.round(milliseconds * 100) / 100,
      };
      // Our apps ask each other things all the time.
      if (operation.startsWith('/internal/')) log.debug(line, 'request');
      else log.info(line, 'request');
    });
    next();
  };
}

function routeOf(request: Request): string | undefined {
  const route: unknown = request.route;
  return typeof route === 'object' && route !== null && 'path' in route ? String(route.path) : undefined;
}
