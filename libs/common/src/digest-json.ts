import { createHash } from 'node:crypto';

const sortKeys = (_key: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
    : value;

/** The SHA-256 of a value's JSON without spaces, in hexadecimal. The order of keys does not matter. */
export const digestJson = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value, sortKeys)).digest('hex');
