import { createConfigClass, opaqueTokenConfigSchema, publicUrlsConfigSchema } from '@app/config';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { deriveKey } from '@app/common';
import { Injectable } from '@nestjs/common';
import type { CommunitySummary } from '../access/community-record.js';

const invitationConfigSchema = opaqueTokenConfigSchema.extend(
  publicUrlsConfigSchema.pick({ PUBLIC_URL: true }).shape,
);

export class InvitationConfig extends createConfigClass(invitationConfigSchema) {}

type InvitableCommunity = Pick<CommunitySummary, 'id' | 'invitationRevision' | 'visibility'>;

/**
 * Creates and verifies invitation codes for communities with the visibility `members`. A code is not stored: it is an HMAC
 * of the community id and its invitation revision, so that a new revision revokes all links.
 */
@Injectable()
export class InvitationLinkService {
  private readonly key: Buffer;
  private readonly publicUrl: string;

  constructor({ OPAQUE_TOKEN_SECRET, PUBLIC_URL }: InvitationConfig) {
    this.key = deriveKey(OPAQUE_TOKEN_SECRET, 'community invitations');
    this.publicUrl = PUBLIC_URL;
  }

  /** Returns undefined where the visibility is not `members`: public communities need no invitation, hidden ones allow none. */
  createLink(community: InvitableCommunity): string | undefined {
    if (community.visibility !== 'members') return undefined;
    const code = this.createMac(community).toString('base64url');
    return `${this.publicUrl}/communities/${community.id}/invitations/${code}`;
  }

  /** Compares in constant time. */
  isValidCode(community: InvitableCommunity, code: string): boolean {
    const expected = Buffer.from(this.createMac(community).toString('base64url'));
    const actual = Buffer.from(code);
    const isEqual = actual.length === expected.length && timingSafeEqual(actual, expected);
    return isEqual && community.visibility === 'members';
  }

  private createMac({ id, invitationRevision }: InvitableCommunity): Buffer {
    return createHmac('sha256', this.key)
      .update(JSON.stringify([id, invitationRevision]))
      .digest();
  }
}
