import { HOUR_SECONDS } from '@app/common';
import { z } from 'zod';
import type { OverlapOption } from '../views/page-views.js';

/** The one-time token of each rendered page. Bound to the session by SecretFormService, so that any random text will do. */
const formToken = z
  .string()
  .regex(/^[A-Za-z0-9_-]{43}$/, 'is missing: reload the page and submit the form again');

export const oneTimeForm = z.object({ form: formToken });
export type OneTimeForm = z.output<typeof oneTimeForm>;

/** How long a replaced key or secret stays valid. The first option is the default. */
export const OVERLAP_OPTIONS: readonly OverlapOption[] = [
  { seconds: 24 * HOUR_SECONDS, label: 'for a day' },
  { seconds: 7 * 24 * HOUR_SECONDS, label: 'for a week' },
  { seconds: HOUR_SECONDS, label: 'for an hour' },
  { seconds: 0, label: 'not at all: revoke it now' },
];

const values = OVERLAP_OPTIONS.map(({ seconds }) => String(seconds));

export const overlapForm = oneTimeForm.extend({ overlap: z.enum(values).transform(Number) });
export type OverlapForm = z.output<typeof overlapForm>;
