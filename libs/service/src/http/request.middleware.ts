import { REQUEST_ID_HEADER, resolveRequestId, parseTraceparent, isSampled } from '@app/common';
import type { NextFunction, Request, Response } from 'express';
import { type Logger, createRequestLogger } from '../observability/logger.js';
import type { MetricsService } from '../observability/management-server.js';
import { context, ROOT_CONTEXT, type Span, SpanKind, trace } from '@opentelemetry/api';

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
const getOperation = (request: Request): string => request.operation ?? getRoute(request) ?? 'unmatched';

function getRoute(request: Request): string | undefined {
  const route: unknown = request.route;
  return typeof route === 'object' && route !== null && 'path' in route ? String(route.path) : undefined;
}

const tracer = trace.getTracer('gatehouse');

/**
 * Starts the span of a request. An app that clients reach starts a trace of its own for the given share of its requests: a client's
 * `traceparent` becomes a link, and its flag decides nothing. Other apps continue sampled traces, and start none.
 */
export function createTraceMiddleware(facesClients: boolean, share: number) {
  // Decided before anything is made, because most requests are not sampled.
  const startSpan = facesClients
    ? (request: Request) => (Math.random() < share ? startTrace(request) : undefined)
    : continueTrace;
  return (request: Request, response: Response, next: NextFunction): void => {
    const span = startSpan(request);
    if (!span) {
      next();
      return;
    }
    request.traceId = span.spanContext().traceId;
    response.once('close', () => {
      endSpan(span, request, response);
    });
    context.with(trace.setSpan(ROOT_CONTEXT, span), next);
  };
}

function startTrace({ method, headers }: Request): Span {
  const client = parseTraceparent(headers['traceparent']);
  const links = client && [{ context: client }];
  return tracer.startSpan(method, { kind: SpanKind.SERVER, links }, ROOT_CONTEXT);
}

function continueTrace({ method, headers }: Request): Span | undefined {
  const parent = parseTraceparent(headers['traceparent']);
  if (!parent || !isSampled(parent)) return undefined;
  return tracer.startSpan(method, { kind: SpanKind.SERVER }, trace.setSpanContext(ROOT_CONTEXT, parent));
}

/** Without the path, which may contain tokens. */
function endSpan(span: Span, request: Request, response: Response): void {
  const { method, requestId } = request;
  const operation = getOperation(request);
  span.updateName(`${method} ${operation}`);
  span.setAttributes({
    'http.request.method': method,
    'http.route': operation,
    'http.response.status_code': response.writableFinished ? response.statusCode : 499,
    'gatehouse.request_id': requestId,
  });
  span.end();
}
