import type { AppError } from './app-error.js';

/** The body of every error response of the gateway and the services (spec.md section 2.3). */
export interface ErrorEnvelope {
  error: {
    name: string;
    message: string;
    statusCode: number;
    details: Record<string, unknown>;
    /** The stack; empty except in development. */
    stack: string;
  };
}

interface ErrorEnvelopeOptions {
  requestId: string;
  withStack: boolean;
}

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
