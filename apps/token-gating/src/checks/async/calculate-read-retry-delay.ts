const MAX_DELAY_MS = 30_000;

/**
 * Milliseconds until failed reads of a check are retried; undefined when CHECK_REREAD_FOR_MS has passed and the check
 * finishes without them.
 */
export function calculateReadRetryDelay(
  { createdAt }: { createdAt: Date },
  {
    CHECK_REREAD_FOR_MS,
    CHECK_REREAD_AFTER_MS,
  }: { CHECK_REREAD_FOR_MS: number; CHECK_REREAD_AFTER_MS: number },
  nowMs: number,
): number | undefined {
  const ageMs = Math.max(0, nowMs - createdAt.getTime());
  // Exponential backoff without an attempt counter: the delay equals the age of the check.
  const delayMs = Math.min(MAX_DELAY_MS, Math.max(CHECK_REREAD_AFTER_MS, ageMs));
  return ageMs + delayMs > CHECK_REREAD_FOR_MS ? undefined : delayMs;
}
