/** How far the clock of an issuer or a wallet may be ahead. */
export const MAX_CLOCK_SKEW_MS = 60_000;
