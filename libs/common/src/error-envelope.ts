import type { AppError } from './app-error.js';

/** The body of every answer that is an error, at the gateway and at every service (spec.md 2.3). */
export interface ErrorEnvelope {
  error: {
    name: string;
    message: string;
    statusCode: number;
    details: Record<string, unknown>;
    /** Empty unless the environment is development. */
    stack: string;
  };
}

export interface ErrorEnvelopeOptions {
  requestId: string;
  withStack: boolean;
}

/** Renders a failure. A 5xx keeps its message only because an AppError's message was written for callers. */
export function toErrorEnvelope(
  error: AppError,
  { requestId, withStack }: ErrorEnvelopeOptions,
): ErrorEnvelope {
  return {
    error: {
      name: error.name,
      message: error.message,
      statusCode: error.statusCode,
      details: { ...error.details, requestId },
      stack: withStack ? (error.stack ?? '') : '',
    },
  };
}
