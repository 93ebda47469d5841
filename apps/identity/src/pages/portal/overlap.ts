import { z } from 'zod';

const HOUR = 3_600;

/** How long what is replaced works on, in seconds, in the words of a form. */
export const OVERLAPS: readonly { seconds: number; words: string }[] = [
  { seconds: 24 * HOUR, words: 'for a day' },
  { seconds: 7 * 24 * HOUR, words: 'for a week' },
  { seconds: HOUR, words: 'for an hour' },
  { seconds: 0, words: 'no longer: it ends now' },
];

const offered = OVERLAPS.map(({ seconds }) => String(seconds));

export const overlapForm = z.object({ overlap: z.enum(offered).transform(Number) });
export type OverlapForm = z.output<typeof overlapForm>;
