const MINUTE_MS = 60_000;
/** BullMQ's own bound. */
const MOST = 2 ** 21 - 1;

/**
 * The priority of a job that is to be taken within so many minutes, as far as others are not due earlier. However many of
 * those come, a job is passed only by what is made within its minutes.
 *
 * The numbers begin anew every four years. What waits in that moment comes last once; it is taken when nothing else is
 * there. An instance whose clock is wrong puts its jobs as much too far ahead or behind, and only while others wait.
 */
export const dueWithin = (minutes: number, now: number): number =>
  1 + ((Math.floor(now / MINUTE_MS) + minutes) % MOST);
