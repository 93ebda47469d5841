/** A day as everybody reads it: `20 November 2026`. In UTC, as all of the service's months and days are. */
export const day = (date: Date): string =>
  date.toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });
