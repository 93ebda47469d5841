import type { Principal } from '@app/auth';
import { conflict } from '@app/common';
import { Database, queryRows } from '@app/database';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { CommunityAccessService } from '../access/community-access.service.js';
import { communityNotFound } from '../access/community.errors.js';
import { communityRecord, LISTED_COLUMNS } from '../access/community-record.js';
import type { InvitedCommunity, NewInvitation } from './invitation.dto.js';
import { InvitationLinkService } from './invitation-link.service.js';

const RENEW = `
  UPDATE token_gating.communities SET invitation_revision = invitation_revision + 1 WHERE id = $1
  RETURNING invitation_revision AS "invitationRevision"`;

const FIND = `SELECT ${LISTED_COLUMNS} FROM token_gating.communities c WHERE c.id = $1`;

const looked = z.array(communityRecord.omit({ rules: true })).max(1);
const renewed = z.tuple([z.object({ invitationRevision: z.int() })]);

@Injectable()
export class InvitationsService {
  constructor(
    private readonly database: Database,
    private readonly access: CommunityAccessService,
    private readonly invitations: InvitationLinkService,
  ) {}

  /** @throws AppError 404 for a code that opens nothing, the same as for a community that does not exist */
  async preview(communityId: string, code: string): Promise<InvitedCommunity> {
    const [community] = looked.parse(await this.database.query(FIND, [communityId]));
    if (!community || !this.invitations.isValidCode(community, code)) throw communityNotFound();
    const { name, iconURL, memberCount } = community;
    return { communityId, name, iconURL, memberCount };
  }

  /** Ends every link that was given away. @throws AppError 409 where an invitation opens nothing */
  renew(caller: Principal, communityId: string): Promise<NewInvitation> {
    return this.database.transaction(async (manager) => {
      const community = await this.access.requireAdministrator(caller, communityId, manager);
      const [changes] = renewed.parse(await queryRows(manager, RENEW, [communityId]));
      const inviteLink = this.invitations.createLink({ ...community, ...changes });
      if (inviteLink === undefined) throw invitationNotSupported();
      return { inviteLink };
    });
  }
}

const invitationNotSupported = () =>
  conflict('invitation_not_supported', 'Only a community that members see is joined by invitation.');
