import { z } from 'zod';

const HOUR_SECONDS = 3_600;

/** How long what is replaced works on, in seconds, in the words of a form. */
export const OVERLAP_OPTIONS: readonly { seconds: number; words: string }[] = [
  { seconds: 24 * HOUR_SECONDS, words: 'for a day' },
  { seconds: 7 * 24 * HOUR_SECONDS, words: 'for a week' },
  { seconds: HOUR_SECONDS, words: 'for an hour' },
  { seconds: 0, words: 'no longer: it ends now' },
];

const offered = OVERLAP_OPTIONS.map(({ seconds }) => String(seconds));

export const overlapForm = z.object({ overlap: z.enum(offered).transform(Number) });
export type OverlapForm = z.output<typeof overlapForm>;
