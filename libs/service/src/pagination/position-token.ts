import { z } from 'zod';
import { invalidInput } from '../http/validation.pipe.js';

const MICROSECONDS = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/;
const position = z.tuple([z.string(), z.iso.datetime().regex(MICROSECONDS), z.uuid()]);

/** A place in a list that is ordered by a time and an id. */
export interface ListPosition {
  /** The time with microseconds. */
  readonly time: string;
  readonly id: string;
}

/**
 * Names a place in a list. It is not signed: use it where it holds only what the page has shown, and where each request is checked for
 * the right to read the list.
 * @param list such as an id of what the list is of
 */
export const encodePosition = (list: string, { time, id }: ListPosition): string =>
  Buffer.from(JSON.stringify([list, time, id])).toString('base64url');

/** @throws AppError 400 that names the field, for anything but a token of this list */
export function decodePosition(list: string, token: string, field: string): ListPosition {
  const parsed = position.safeParse(parseJson(Buffer.from(token, 'base64url').toString()));
  if (!parsed.success || parsed.data[0] !== list)
    throw invalidInput([
      { code: 'custom', path: [field], message: 'must be of a page of this list', input: undefined },
    ]);
  const [, time, id] = parsed.data;
  return { time, id };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // refused like JSON of another shape
  }
}
