import type { Principal } from '@app/auth';
import { Database } from '@app/database';
import type { PageQuery } from '@app/dto';
import { type Page, Pages, type PageStart, FIRST_KEY } from '@app/service';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { LISTED_COLUMNS } from '../access/community-record.js';
import { listedCommunity, STANDING_COLUMNS, viewerOf } from '../access/standing.js';
import { ROLE_COUNT, withinRoles } from '../shared/within-roles.js';
import { CommunityAnswers } from './community-answers.js';
import type { Community } from './community.dto.js';

// The time as text: a JavaScript date would lose its microseconds, and with them rows.
const PUBLIC = `
  SELECT ${LISTED_COLUMNS}, ${STANDING_COLUMNS}, ${ROLE_COUNT}, c.created_at::text AS since
  FROM token_gating.communities c
  WHERE c.visibility = 'public' AND (c.created_at, c.id) > ($3::timestamptz, $4)
  ORDER BY c.created_at, c.id LIMIT $5`;

const rows = z.array(listedCommunity.extend({ since: z.string(), roleCount: z.int() }));

/** Communities that anyone sees, the oldest first. */
@Injectable()
export class PublicCommunities {
  constructor(
    private readonly database: Database,
    private readonly pages: Pages,
    private readonly answers: CommunityAnswers,
  ) {}

  async list(caller: Principal, query: PageQuery): Promise<Page<Community>> {
    const page = await this.pages.turn({
      list: 'communities',
      caller,
      query,
      load: (start) => this.load(caller, start),
      keyOf: ({ since, id }) => [since, id],
      fitting: withinRoles,
    });
    return { ...page, items: await this.answers.many(page.items) };
  }

  private async load(caller: Principal, { after = FIRST_KEY, count }: PageStart) {
    return rows.parse(await this.database.query(PUBLIC, [...viewerOf(caller), ...after, count]));
  }
}
