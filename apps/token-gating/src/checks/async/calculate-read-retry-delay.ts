import { addJitter, SECOND_MS } from '@app/common';

const MAX_DELAY_MS = 30 * SECOND_MS;

interface ReadRetryConfig {
  readonly CHECK_REREAD_FOR_MS: number;
  readonly CHECK_REREAD_AFTER_MS: number;
}

/** Exponential backoff without an attempt counter: the delay equals the time that has passed. */
const toBaseDelay = (passedMs: number, { CHECK_REREAD_AFTER_MS }: ReadRetryConfig): number =>
  Math.min(MAX_DELAY_MS, Math.max(CHECK_REREAD_AFTER_MS, passedMs));

/**
 * Milliseconds until failed reads of a check are retried; undefined when CHECK_REREAD_FOR_MS has passed since they first failed and the
 * check finishes without them.
 */
export function calculateReadRetryDelay(
  failingSince: Date,
  config: ReadRetryConfig,
  nowMs: number,
  random = Math.random,
): number | undefined {
  const passedMs = Math.max(0, nowMs - failingSince.getTime());
  const delayMs = addJitter(toBaseDelay(passedMs, config), random);
  return passedMs + delayMs > config.CHECK_REREAD_FOR_MS ? undefined : delayMs;
}

/** Milliseconds until a check asks again for room for its reads. It asks until there is room, because nothing has failed. */
export function calculateRoomRetryDelay(
  createdAt: Date,
  config: ReadRetryConfig,
  nowMs: number,
  random = Math.random,
): number {
  return addJitter(toBaseDelay(Math.max(0, nowMs - createdAt.getTime()), config), random);
}
