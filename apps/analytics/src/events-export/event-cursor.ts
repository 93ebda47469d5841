import { invalidInput } from '@app/service';
import { z } from 'zod';
import type { EventPosition } from './exported-events.queries.js';

const MICROSECONDS = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/;
const fields = z.tuple([z.string(), z.iso.datetime().regex(MICROSECONDS), z.uuid()]);

/**
 * The place of an event in the export of a community. It is not signed, because it holds only what the page showed, and every
 * request is checked for the right to read the community.
 */
export const encodeEventCursor = (communityId: string, { receivedAt, id }: EventPosition): string =>
  Buffer.from(JSON.stringify([communityId, receivedAt, id])).toString('base64url');

/** @throws AppError 400 for anything but a cursor of this community */
export function decodeEventCursor(communityId: string, cursor: string): EventPosition {
  const parsed = fields.safeParse(parseJson(Buffer.from(cursor, 'base64url').toString()));
  if (!parsed.success || parsed.data[0] !== communityId) throw invalidCursor();
  const [, receivedAt, id] = parsed.data;
  return { receivedAt, id };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const invalidCursor = () =>
  invalidInput([
    {
      code: 'custom',
      path: ['cursor'],
      message: 'must be the cursor of a page of this community',
      input: undefined,
    },
  ]);
