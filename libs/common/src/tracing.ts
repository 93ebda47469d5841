import {
  isSpanContextValid,
  type SpanContext,
  TraceFlags,
  type Attributes,
  context,
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { randomUUID } from 'node:crypto';

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** Reads the W3C header; undefined when it is absent, invalid or of a later version. */
export function parseTraceparent(text: unknown): SpanContext | undefined {
  if (typeof text !== 'string') return undefined;
  const [, traceId = '', spanId = '', flags = ''] = TRACEPARENT.exec(text) ?? [];
  const parsed = {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED,
    isRemote: true,
  };
  return isSpanContextValid(parsed) ? parsed : undefined;
}

export const isSampled = ({ traceFlags }: SpanContext): boolean => (traceFlags & TraceFlags.SAMPLED) !== 0;

export const formatTraceparent = ({ traceId, spanId, traceFlags }: SpanContext): string =>
  `00-${traceId}-${spanId}-${isSampled({ traceId, spanId, traceFlags }) ? '01' : '00'}`;

export interface SpanOptions {
  /** The name of the place in the code: it has few values, and nothing that a caller chose. */
  name: string;
  /** Never URLs, bodies or parameters, which may hold secrets. */
  attributes?: Attributes;
  kind?: keyof typeof SpanKind;
}

/** Absent where tracing is off, and for a request that is not sampled. */
type Work<T> = (span: Span | undefined) => Promise<T>;

const tracer = trace.getTracer('gatehouse');

/** Whether a sampled span is under way here. Always false where tracing is off. */
export const isTraced = (): boolean => trace.getActiveSpan()?.isRecording() ?? false;

/** Runs work in a span of the current trace; without a current trace only runs it. */
export function inSpan<T>(options: SpanOptions, work: Work<T>): Promise<T> {
  return isTraced() ? runInSpan(context.active(), options, work) : work(undefined);
}

/** Runs work in a span of the trace that a stored `traceparent` names; without one only runs it, outside of any trace. */
export function continueTrace<T>(
  traceparent: string | null | undefined,
  options: SpanOptions,
  work: Work<T>,
): Promise<T> {
  const parent = parseTraceparent(traceparent);
  if (parent && isSampled(parent))
    return runInSpan(trace.setSpanContext(ROOT_CONTEXT, parent), options, work);
  return context.with(ROOT_CONTEXT, () => work(undefined));
}

/**
 * Keeps the current trace for a callback of a timer, a socket or a worker. What is awaited keeps it by itself; callbacks
 * do only on some versions of Node.
 */
export function bindToTrace<A extends unknown[], R>(callback: (...args: A) => R): (...args: A) => R {
  return isTraced() ? context.bind(context.active(), callback) : callback;
}

/** What a request, a job or a row carries for the current trace to continue; undefined without a current trace. */
export function getTraceparent(): string | undefined {
  const span = trace.getActiveSpan();
  return span?.isRecording() ? formatTraceparent(span.spanContext()) : undefined;
}

/** The id of the current trace, for log lines. */
export function getTraceId(): string | undefined {
  const span = trace.getActiveSpan();
  return span?.isRecording() ? span.spanContext().traceId : undefined;
}

function runInSpan<T>(
  parent: Context,
  { name, attributes, kind = 'INTERNAL' }: SpanOptions,
  work: Work<T>,
): Promise<T> {
  const span = tracer.startSpan(name, { kind: SpanKind[kind], attributes }, parent);
  return context.with(trace.setSpan(parent, span), async () => {
    try {
      return await work(span);
    } catch (error) {
      // The message may hold a URL.
      span.setAttribute('error.type', error instanceof Error ? error.name : 'unknown');
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

export const REQUEST_ID_HEADER = 'x-request-id';

const ACCEPTED_REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** The request id of the caller if it is valid (contract.md section 2), else a new one. */
export function resolveRequestId(header: string | string[] | undefined): string {
  return typeof header === 'string' && ACCEPTED_REQUEST_ID.test(header) ? header : randomUUID();
}
