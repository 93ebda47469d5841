/**
 * The units of time of the product, in the two units that durations are counted in. A lifetime, limit or interval is a multiple of one of
 * them (`10 * MINUTE_MS`), so that nobody counts zeros. Scripts of pages, which are served one by one, cannot import it.
 */
export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

export const MINUTE_SECONDS = 60;
export const HOUR_SECONDS = 60 * MINUTE_SECONDS;
export const DAY_SECONDS = 24 * HOUR_SECONDS;
