import { type AppError, tooManyRequests } from '@app/common';
import { toCalendarMonth, type WindowResult } from '@app/limits';
import type { Response } from 'express';

/** The windows that counted a request, by their name in the headers. */
type RateLimitWindows = Partial<Record<WindowName, WindowResult>>;

const getSecondsUntil = (timeMs: number): number => Math.max(1, Math.ceil((timeMs - Date.now()) / 1000));

const WINDOW_NAMES = ['address', 'second', 'month'] as const;
type WindowName = (typeof WINDOW_NAMES)[number];

function getWindowSeconds(name: WindowName): number {
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
  let tightest: WindowResult | undefined;
  let policy = '';
  let state = '';
  for (const name of WINDOW_NAMES) {
    const window = windows[name];
    if (!window) continue;
    const separator = tightest ? ', ' : '';
    policy += `${separator}"${name}";q=${window.limit};w=${getWindowSeconds(name)}`;
    state += `${separator}"${name}";r=${window.remaining};t=${getSecondsUntil(window.resetMs)}`;
    tightest = tightest ? getTighterWindow(tightest, window) : window;
  }
  if (!tightest) return;
  response.setHeader('X-RateLimit-Limit', tightest.limit);
  response.setHeader('X-RateLimit-Remaining', tightest.remaining);
  response.setHeader('X-RateLimit-Reset', toTimestamp(tightest.resetMs));
  response.setHeader('RateLimit-Policy', policy);
  response.setHeader('RateLimit', state);
}

let lastTimestamp = { ms: 0, text: '1970-01-01T00:00:00.000Z' };

/** The last one is kept: requests of the same millisecond share it, and so do those that tell the end of the month. */
function toTimestamp(timeMs: number): string {
  const ms = Math.trunc(timeMs);
  if (ms !== lastTimestamp.ms) lastTimestamp = { ms, text: new Date(ms).toISOString() };
  return lastTimestamp.text;
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
