/**
 * Half to one and a half of a delay, so that work which failed together, such as all jobs during an outage, does not come back together.
 * @param random 0 to 1
 */
export const addJitter = (delayMs: number, random: () => number = Math.random): number =>
  Math.round(delayMs * (0.5 + random()));
