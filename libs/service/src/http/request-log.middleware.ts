import { REQUEST_ID_HEADER, resolveRequestId } from '@app/common';
import type { NextFunction, Request, Response } from 'express';
import { type Logger, createRequestLogger } from '../observability/logger.js';
import type { MetricsService } from '../observability/metrics.service.js';

/** Assigns the request id; logs and measures each request when its response is closed. */
export function createRequestLogMiddleware(logger: Logger, metrics: MetricsService) {
  const log = createRequestLogger(logger);
  return (request: Request, response: Response, next: NextFunction): void => {
    const receivedAt = performance.now();
    request.receivedAt = receivedAt;
    request.requestId = resolveRequestId(request.headers[REQUEST_ID_HEADER]);
    response.setHeader('X-Request-Id', request.requestId);
    response.once('close', () => {
      const { method, requestId } = request;
      const milliseconds = performance.now() - receivedAt;
      // A path may contain tokens, so only the matched operation or route is logged.
      const operation = getOperation(request);
      const status = response.writableFinished ? response.statusCode : 499;
      metrics.observeRequest(method, operation, status, milliseconds);
      const line = {
        requestId,
        traceId: request.traceId,
        method,
        operation,
        status,
        client: request.clientId,
        ms: Math.round(milliseconds * 100) / 100,
      };
      // Internal requests are frequent.
      if (operation.startsWith('/internal/')) log.debug(line, 'request');
      else log.info(line, 'request');
    });
    next();
  };
}

/** The operation or route of a request, for what must not name its path. */
export const getOperation = (request: Request): string =>
  request.operation ?? getRoute(request) ?? 'unmatched';

function getRoute(request: Request): string | undefined {
  const route: unknown = request.route;
  return typeof route === 'object' && route !== null && 'path' in route ? String(route.path) : undefined;
}
