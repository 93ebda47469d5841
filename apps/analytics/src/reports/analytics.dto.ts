import { EXAMPLES } from '@app/dto';
import { z } from 'zod';
import { MAX_EXACT_MEMBERS } from '../rollups/distinct-sketch.js';

export const communityParams = z.object({
  communityId: z.string().min(1).max(128).meta({ example: EXAMPLES.communityId }),
});
export type CommunityParams = z.output<typeof communityParams>;

/** `interval` and `timeZone` are not listed: see PeriodParameters. */
export const rangeQuery = z.object({ range: z.string().max(64).optional().meta({ example: '7d' }) });

const MAX_FILTERS = 250;
const MAX_TEXT = 256;

/** A role of the community in a chart (spec.md 2.8). */
const analyticsFilter = z
  .strictObject({ color: z.number(), id: z.string().min(1).max(MAX_TEXT), name: z.string().max(MAX_TEXT) })
  .meta({ id: 'AnalyticsFilter', description: 'A role as a chart shows it.' });

export const analyticsFilters = z
  .array(analyticsFilter)
  .max(MAX_FILTERS)
  .refine((filters) => new Set(filters.map(({ id }) => id)).size === filters.length, 'must have each id once')
  .meta({ example: [{ color: 0x2563eb, id: 'whale', name: 'Whale' }] });
export type AnalyticsFilters = Readonly<z.output<typeof analyticsFilters>>;

const count = z.int().nonnegative();
const date = z.iso
  .datetime({ offset: true })
  .meta({ description: 'When the bucket begins, with the offset of the time zone then' });

const chartRole = { id: z.string(), name: z.string(), color: z.number().optional() };

export const roleDistributionRow = z
  .object({
    ...chartRole,
    count,
    share: z.number().min(0).max(1).meta({ description: 'Of all members; 0 without members' }),
  })
  .meta({
    id: 'RoleDistributionRow',
    description:
      'How many members held a role at the end of the range. The row with the id `none` counts members without any of the others.',
    example: { id: 'whale', name: 'Whale', color: 0x2563eb, count: 12, share: 0.4 },
  });
export type RoleDistributionRow = z.output<typeof roleDistributionRow>;

export const rolesAddedRow = z
  .object({
    date,
    total: count.meta({ description: 'The sum of `added`' }),
    roles: z.array(z.object({ ...chartRole, added: count, removed: count })),
  })
  .meta({
    id: 'RolesAddedRow',
    description: 'How often roles were granted and revoked in a bucket.',
    example: {
      date: '2026-01-01T00:00:00Z',
      total: 3,
      roles: [{ id: 'whale', name: 'Whale', color: 0x2563eb, added: 3, removed: 1 }],
    },
  });
export type RolesAddedRow = z.output<typeof rolesAddedRow>;

const interactionKinds = z.object({
  joined: count,
  left: count,
  signedIn: count.meta({ description: 'Sign-ins to a client application that is attached to the community' }),
  checked: count.meta({
    description: 'Members whose roles were asked for, each at most once a quarter-hour',
  }),
  walletLinked: count,
  reported: count.meta({ description: 'Interactions that attached client applications reported' }),
});

export const userInteractionsRow = z
  .object({
    date,
    users: count.meta({
      description: `Distinct users of the interactions: exact up to ${MAX_EXACT_MEMBERS}, within 3 % above. They do not add up over buckets.`,
    }),
    interactions: count.meta({ description: 'The sum of `kinds`' }),
    kinds: interactionKinds,
  })
  .meta({
    id: 'UserInteractionsRow',
    description: 'What users did in a bucket.',
    example: {
      date: '2026-01-01T00:00:00Z',
      users: 2,
      interactions: 3,
      kinds: { joined: 2, left: 1, signedIn: 0, checked: 0, walletLinked: 0, reported: 0 },
    },
  });
export type UserInteractionsRow = z.output<typeof userInteractionsRow>;

export const walletConnectionsRow = z
  .object({
    date,
    connected: count,
    disconnected: count,
    total: count.meta({ description: 'Pairs of a member and a wallet at the end of the bucket' }),
  })
  .meta({
    id: 'WalletConnectionsRow',
    description: 'How many wallets members connected and disconnected in a bucket.',
    example: { date: '2026-01-01T00:00:00Z', connected: 4, disconnected: 1, total: 37 },
  });
export type WalletConnectionsRow = z.output<typeof walletConnectionsRow>;
