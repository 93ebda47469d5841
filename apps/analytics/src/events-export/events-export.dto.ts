import { queryInteger, queryText } from '@app/dto';
import { z } from 'zod';
import type { StoredEvent } from '../ingest/events.queries.js';

export const DEFAULT_EXPORT_SIZE = 100;
const MAX_EXPORT_SIZE = 1_000;

export const eventsQuery = z.object({
  limit: queryInteger(1, MAX_EXPORT_SIZE)
    .optional()
    .meta({ description: `Events of one page. Default: ${DEFAULT_EXPORT_SIZE}`, example: 10 }),
  cursor: queryText.min(1).max(512).optional().meta({ description: 'From the page before' }),
});
export type EventsQuery = z.output<typeof eventsQuery>;

const EVENT_TYPES: { readonly [Type in StoredEvent['type']]: Type } = {
  'member.joined': 'member.joined',
  'member.left': 'member.left',
  'member.checked': 'member.checked',
  'member.signed_in': 'member.signed_in',
  'member.reported': 'member.reported',
  'role.granted': 'role.granted',
  'role.revoked': 'role.revoked',
  'wallet.linked': 'wallet.linked',
  'wallet.unlinked': 'wallet.unlinked',
  'repair.joined': 'repair.joined',
  'repair.left': 'repair.left',
  'repair.granted': 'repair.granted',
  'repair.revoked': 'repair.revoked',
  'repair.linked': 'repair.linked',
  'repair.unlinked': 'repair.unlinked',
};

const time = z.iso.datetime();

export const exportedEvent = z
  .object({
    id: z.uuid(),
    type: z.enum(EVENT_TYPES),
    at: time.meta({ description: 'When it happened' }),
    receivedAt: time.meta({ description: 'When it was stored, which is the order of the list' }),
    userId: z.string(),
    roleId: z.string().optional().meta({ description: 'Of `role.granted` and `role.revoked`' }),
    accountId: z.string().optional().meta({
      description:
        'The CAIP-10 id of the wallet of `wallet.linked` and `wallet.unlinked`, for client applications that are approved for `user:wallet:read`',
    }),
  })
  .meta({
    id: 'ExportedCommunityEvent',
    description: 'What happened in a community.',
    example: {
      id: '0b8f0d3e-6c0e-4e5e-9d53-0f6a1c1f8a11',
      type: 'role.granted',
      at: '2026-01-01T12:00:00.123456Z',
      receivedAt: '2026-01-01T12:00:01.654321Z',
      userId: 'user_7VkIqevX1qo2K1mIvdlcNo',
      roleId: 'whale',
    },
  });
export type ExportedEvent = z.output<typeof exportedEvent>;

export const exportedEvents = z
  .object({
    items: z.array(exportedEvent),
    cursor: z.string().optional().meta({
      description: 'For the events after these. Absent only as long as the community has no events',
    }),
  })
  .meta({ id: 'ExportedCommunityEvents' });
export type ExportedEvents = z.output<typeof exportedEvents>;
