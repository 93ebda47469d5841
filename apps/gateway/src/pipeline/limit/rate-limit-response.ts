import { type AppError, tooManyRequests } from '@app/common';
import { toCalendarMonth, type WindowResult } from '@app/limits';
import type { Response } from 'express';

/** The windows that counted a request, by their name in the headers. */
export type RateLimitWindows = Partial<Record<'address' | 'second' | 'month', WindowResult>>;

const getSecondsUntil = (timeMs: number): number => Math.max(1, Math.ceil((timeMs - Date.now()) / 1000));

function getWindowSeconds(name: string): number {
  if (name !== 'month') return 1;
  const { startMs, endMs } = toCalendarMonth(Date.now());
  return (endMs - startMs) / 1000;
}

function getTighterWindow(a: WindowResult, b: WindowResult): WindowResult {
  if (a.admitted !== b.admitted) return a.admitted ? b : a;
  return b.remaining < a.remaining ? b : a;
}

/**
 * Sets `X-RateLimit-*` of the tightest window, and the IETF fields of all windows (draft-ietf-httpapi-ratelimit-headers,
 * contract.md section 3).
 */
export function setRateLimitHeaders(response: Response, windows: RateLimitWindows): void {
  const entries = Object.entries(windows);
  const tightest = entries.map(([, window]) => window).reduce(getTighterWindow);
  response.setHeader('X-RateLimit-Limit', tightest.limit);
  response.setHeader('X-RateLimit-Remaining', tightest.remaining);
  response.setHeader('X-RateLimit-Reset', new Date(tightest.resetMs).toISOString());
  response.setHeader(
    'RateLimit-Policy',
    entries.map(([name, { limit }]) => `"${name}";q=${limit};w=${getWindowSeconds(name)}`).join(', '),
  );
  response.setHeader(
    'RateLimit',
    entries
      .map(([name, { remaining, resetMs }]) => `"${name}";r=${remaining};t=${getSecondsUntil(resetMs)}`)
      .join(', '),
  );
}

const PERIODS = {
  address_limit_exceeded: 'second and address',
  second_limit_exceeded: 'second',
  month_limit_exceeded: 'month',
} as const;

export function rateLimitExceeded(code: keyof typeof PERIODS, window: WindowResult): AppError {
  return tooManyRequests(code, `The limit of ${window.limit} requests per ${PERIODS[code]} is used up.`, {
    limit: window.limit,
    retryAfter: getSecondsUntil(window.resetMs),
  });
}
