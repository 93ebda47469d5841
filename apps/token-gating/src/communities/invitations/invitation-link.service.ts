import { createHmac, timingSafeEqual } from 'node:crypto';
import { deriveKey } from '@app/common';
import { Injectable } from '@nestjs/common';
import type { CommunityRecord } from '../access/community-record.js';
import { InvitationConfig } from './invitation.config.js';

type InvitableCommunity = Pick<CommunityRecord, 'id' | 'invitationRevision' | 'visibility'>;

/**
 * Codes that let people into communities of members. Nothing of them is stored: a code is a MAC over the community and
 * the revision of its invitation, so another revision ends every link that was given away.
 */
@Injectable()
export class InvitationLinkService {
  private readonly key: Buffer;
  private readonly publicUrl: string;

  constructor({ OPAQUE_TOKEN_SECRET, PUBLIC_URL }: InvitationConfig) {
    this.key = deriveKey(OPAQUE_TOKEN_SECRET, 'community invitations');
    this.publicUrl = PUBLIC_URL;
  }

  /** Undefined where an invitation opens nothing: public communities need none, hidden ones have none. */
  createLink(community: InvitableCommunity): string | undefined {
    if (community.visibility !== 'members') return undefined;
    const code = this.macOf(community).toString('base64url');
    return `${this.publicUrl}/communities/${community.id}/invitations/${code}`;
  }

  /** Whether a code lets people in now. Takes as long for every wrong code. */
  isValidCode(community: InvitableCommunity, code: string): boolean {
    const expected = Buffer.from(this.macOf(community).toString('base64url'));
    const given = Buffer.from(code);
    const isRight = given.length === expected.length && timingSafeEqual(given, expected);
    return isRight && community.visibility === 'members';
  }

  private macOf({ id, invitationRevision }: InvitableCommunity): Buffer {
    return createHmac('sha256', this.key)
      .update(JSON.stringify([id, invitationRevision]))
      .digest();
  }
}
