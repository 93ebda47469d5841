import { parseTraceparent, isSampled } from '@app/common';
import { context, ROOT_CONTEXT, type Span, SpanKind, trace } from '@opentelemetry/api';
import type { NextFunction, Request, Response } from 'express';
import { getOperation } from './request-log.middleware.js';

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
