import { DAY_MS, MINUTE_MS } from '@app/common';
import type { Zone } from 'luxon';

export const QUARTER_HOUR_MS = 15 * MINUTE_MS;

/** What a clock in the zone shows at an instant, as the milliseconds that the same clock in UTC would have. */
export const toWallTime = (zone: Zone, instant: number): number => instant + zone.offset(instant) * MINUTE_MS;

/** The local day of an instant, counted from 1970-01-01. */
export const toLocalDay = (zone: Zone, instant: number): number =>
  Math.floor(toWallTime(zone, instant) / DAY_MS);

/**
 * The instant at which a local day begins. Offsets change by quarters of an hour, and in some zones at midnight: then the day
 * begins late, or shows midnight twice.
 */
export function startOfLocalDay(zone: Zone, day: number): number {
  const midnight = day * DAY_MS;
  let instant = midnight - zone.offset(midnight) * MINUTE_MS;
  while (toWallTime(zone, instant) < midnight) instant += QUARTER_HOUR_MS;
  while (toWallTime(zone, instant - QUARTER_HOUR_MS) >= midnight) instant -= QUARTER_HOUR_MS;
  return instant;
}
