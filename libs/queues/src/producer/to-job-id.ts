import { createHash } from 'node:crypto';

/** BullMQ rejects `:` and integers in job ids, and a job id is part of a Redis key. */
const VALID_JOB_ID = /^(?!\d+$)[A-Za-z0-9._-]{1,128}$/;

/** The text itself if it is a valid job id, else its hash, so that different texts never share a Redis key. */
export function toJobId(text: string): string {
  if (VALID_JOB_ID.test(text) && !text.startsWith('sha256-')) return text;
  return `sha256-${createHash('sha256').update(text).digest('hex')}`;
}
