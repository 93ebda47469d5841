const LONGEST_MS = 30_000;

/**
 * Milliseconds until nodes that did not answer are asked again; undefined when the time for that is over and the check
 * answers with what it has.
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
  // Doubles with its age without counting attempts: as long again as it has waited so far.
  const delayMs = Math.min(LONGEST_MS, Math.max(CHECK_REREAD_AFTER_MS, ageMs));
  return ageMs + delayMs > CHECK_REREAD_FOR_MS ? undefined : delayMs;
}
