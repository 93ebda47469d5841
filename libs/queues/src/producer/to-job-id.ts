import { createHash } from 'node:crypto';

/** BullMQ refuses `:` and integers in job ids, and a job id is part of a key on Redis. */
const VALID_JOB_ID = /^(?!\d+$)[A-Za-z0-9._-]{1,128}$/;

/** The text itself where it can be an id, else a hash of it: no text reaches another job's key. */
export function toJobId(text: string): string {
  if (VALID_JOB_ID.test(text) && !text.startsWith('sha256-')) return text;
  return `sha256-${createHash('sha256').update(text).digest('hex')}`;
}
