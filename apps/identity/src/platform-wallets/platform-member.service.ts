import type { PlatformMember, PlatformMemberRequest } from '@app/dto';
import { ServiceContext } from '@app/service';
import { Injectable } from '@nestjs/common';
import { TokenGatingClient } from '../clients/token-gating-client.js';
import { communitiesUnavailable, communitySuspended, memberRefused } from './platform-wallets.errors.js';
import { z } from 'zod';

/** The message that a platform user is asked to sign, as it is stored and shown on the page. */
export const platformLinkRequest = z.object({
  requestId: z.string(),
  message: z.string(),
  removalMessage: z.string(),
  clientId: z.string(),
  application: z.string(),
  community: z.string(),
  platform: z.string(),
  platformUserId: z.string(),
  userName: z.string().optional(),
});
export type PlatformLinkRequest = Readonly<z.output<typeof platformLinkRequest>>;

/** The members of communities, which token-gating knows, as attached client applications see them. */
@Injectable()
export class PlatformMemberService {
  constructor(
    private readonly tokenGating: TokenGatingClient,
    private readonly context: ServiceContext,
  ) {}

  /** @throws AppError 403, 404, 409, or 503 when token-gating does not answer */
  async require(request: PlatformMemberRequest): Promise<PlatformMember> {
    const found = await this.tokenGating.findPlatformMember(request).catch((cause: unknown) => {
      this.context.logger.warn({ err: cause }, 'a member of a community could not be looked up');
      throw communitiesUnavailable(cause);
    });
    if (found.outcome !== 'found') throw memberRefused(found.outcome);
    return found;
  }

  /** Requires a member for a change. @throws AppError like `require`, and 403 in a suspended community */
  async requireForChange(request: PlatformMemberRequest): Promise<PlatformMember> {
    const member = await this.require(request);
    if (member.isSuspended) throw communitySuspended();
    return member;
  }
}
