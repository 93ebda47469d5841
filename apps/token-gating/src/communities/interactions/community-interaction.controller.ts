import { CurrentPrincipal, type Principal } from '@app/auth';
import { Operation, Returns, ServiceContext, Sweeper } from '@app/service';
import { Body, Controller, Param, Put, Injectable } from '@nestjs/common';
import { type CommunityParams, communityParams } from '../access/community-record.js';
import { communityWriteByClient, CHANGE_ERRORS } from '../access/operation-security.js';
import {
  INTERACTION_LIMIT_CONFLICT,
  type InteractionReport,
  interactionReport,
  type InteractionResults,
  interactionResults,
  interactionLimitExceeded,
  type InteractionOutcome,
  interactionTimeInvalid,
  MAX_INTERACTION_AGE_DAYS,
  MAX_INTERACTIONS_PER_DAY,
  type ReportedInteraction,
} from './interaction.dto.js';
import { DAY_MS, MINUTE_MS } from '@app/common';
import { createHash } from 'node:crypto';
import { Database } from '@app/database';
import type { CommunityEvent } from '@app/dto';
import { OutboxService } from '@app/outbox';
import { addCommunityEvents } from '../events/community-event.publisher.js';
import type { EntityManager } from 'typeorm';
import { CommunityAccessService } from '../access/community-access.service.js';
import { attachedClientsOnly } from '../access/community.errors.js';
import { toViewer } from '../access/membership.js';
import { createNameBasedUuid } from '../../callbacks/delivery.js';
import { toEventBatches } from '../events/create-community-event.js';
import { findMembersByIds } from '../members/memberships.queries.js';
import {
  countInteractions,
  findDigests,
  forgetInteractions,
  insertInteractions,
} from './reported-interactions.queries.js';

const SWEEP_INTERVAL_MS = MINUTE_MS;
const MAX_ROWS = 5_000;

/** Forgets the ids of interactions that are too old to be reported again. */
@Injectable()
export class ReportedInteractionsSweeper extends Sweeper {
  constructor(context: ServiceContext, database: Database) {
    const sweep = async (): Promise<boolean> => (await forgetInteractions(database, MAX_ROWS)) === MAX_ROWS;
    super(context, [{ name: 'forget reported interactions', sweep }], SWEEP_INTERVAL_MS);
  }
}

const MAX_AGE_MS = MAX_INTERACTION_AGE_DAYS * DAY_MS;
/** The time that an interaction may lie ahead: what analytics accepts, less the time until it gets the event. */
const MAX_AHEAD_MS = MINUTE_MS;

/** Publishes what attached client applications report of the members of a community. */
@Injectable()
export class InteractionsService {
  constructor(
    private readonly database: Database,
    private readonly access: CommunityAccessService,
    private readonly outbox: OutboxService,
  ) {}

  /**
   * Idempotent by the client application, the community and the id.
   * @throws AppError 400 for a time out of bounds, 403, 404, or 409 beyond the limit of a day
   */
  async report(
    principal: Principal,
    communityId: string,
    interactions: readonly ReportedInteraction[],
  ): Promise<InteractionResults> {
    interactions.forEach(checkTime);
    const { clientId } = toViewer(principal);
    const { isAttachedClient } = await this.access.requireActive(principal, communityId);
    if (!isAttachedClient || clientId === null) throw attachedClientsOnly();
    const outcomes = await this.database.transaction((manager) =>
      this.store(manager, { communityId, clientId }, interactions),
    );
    return { results: interactions.map(({ id }, index) => ({ id, outcome: outcomes[index] ?? 'conflict' })) };
  }

  private async store(
    manager: EntityManager,
    reporter: { readonly communityId: string; readonly clientId: string },
    interactions: readonly ReportedInteraction[],
  ): Promise<InteractionOutcome[]> {
    const { communityId, clientId } = reporter;
    const named = interactions.map(({ platformUserId }) => platformUserId);
    const members = await findMembersByIds(manager, communityId, [...new Set(named)]);
    // The first of the interactions of a request with equal ids counts.
    const firstById = new Map(
      interactions
        .filter(({ platformUserId }) => members.get(platformUserId)?.length === 1)
        .reverse()
        .map((interaction) => [interaction.id, interaction]),
    );
    const keys = [...firstById].map(([id, interaction]) => ({ id, digest: createDigest(interaction) }));
    const newIds = await insertInteractions(manager, reporter, keys);
    const digests = await findDigests(manager, reporter, [...new Set(interactions.map(({ id }) => id))]);
    const events = [...firstById.values()].flatMap(({ id, at, platformUserId }): CommunityEvent[] => {
      const [userId] = members.get(platformUserId) ?? [];
      if (userId === undefined || !newIds.has(id)) return [];
      return [
        {
          id: createNameBasedUuid('reported interaction', communityId, clientId, id),
          type: 'member.reported',
          at: new Date(at).toISOString(),
          ...{ communityId, userId },
        },
      ];
    });
    if (events.length > 0) {
      if (!(await countInteractions(manager, reporter, events.length, MAX_INTERACTIONS_PER_DAY)))
        throw interactionLimitExceeded();
      events.sort((a, b) => a.at.localeCompare(b.at));
      await addCommunityEvents(this.outbox, manager, toEventBatches(events));
    }
    return interactions.map((interaction) => {
      const { id, platformUserId } = interaction;
      const stored = digests.get(id);
      if (stored && !stored.equals(createDigest(interaction))) return 'conflict';
      if (stored) return newIds.has(id) && firstById.get(id) === interaction ? 'accepted' : 'repeated';
      return (members.get(platformUserId)?.length ?? 0) > 1 ? 'member_ambiguous' : 'member_not_found';
    });
  }
}

function checkTime({ at }: ReportedInteraction, index: number): void {
  const age = Date.now() - Date.parse(at);
  if (age > MAX_AGE_MS)
    throw interactionTimeInvalid(index, `must be at most ${MAX_INTERACTION_AGE_DAYS} days ago`);
  if (age < -MAX_AHEAD_MS) throw interactionTimeInvalid(index, 'must not be in the future');
}

const createDigest = ({ platformUserId, kind, at }: ReportedInteraction): Buffer =>
  createHash('sha256')
    .update(JSON.stringify([platformUserId, kind, Date.parse(at)]))
    .digest();

@Controller('communities/:communityId/interactions')
export class CommunityInteractionController {
  constructor(private readonly interactions: InteractionsService) {}

  @Put()
  @Operation({
    ...communityWriteByClient,
    summary: 'Report what members did, for analytics',
    description:
      'For attached client applications that act for themselves, without a user. Idempotent by the id of each interaction for 8 days.',
    conflicts: INTERACTION_LIMIT_CONFLICT,
    errors: [...CHANGE_ERRORS, '403 attached_client_required'],
  })
  @Returns(interactionResults)
  reportInteractions(
    @CurrentPrincipal() principal: Principal,
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
    @Body({ schema: interactionReport }) { interactions }: InteractionReport,
  ): Promise<InteractionResults> {
    return this.interactions.report(principal, communityId, interactions);
  }
}
