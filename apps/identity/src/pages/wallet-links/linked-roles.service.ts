import { SECOND_MS } from '@app/common';
import { tokenGatingResponse } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { PortalApi } from '../../clients/portal-api.js';
import type { WalletOwner } from '../../users/wallets/wallet-connections.queries.js';

const roleNames = z.object({ items: z.array(z.object({ id: z.string(), name: z.string() })) });

/** A person waits at the page, and the roles are checked later anyway. */
const TIMEOUT_MS = 3 * SECOND_MS;

/**
 * The roles of a platform user after a wallet was linked. They are looked up in the user's own right, once for each link page, and count on
 * the user's own share of the reads of chains.
 */
@Injectable()
export class LinkedRolesService {
  constructor(private readonly portal: PortalApi) {}

  /** The names of the roles that the user holds now; undefined where that is not known in time. */
  async find({ userId, communityId }: WalletOwner): Promise<string[] | undefined> {
    const user = { userId, account: null, amr: [], signedInAt: new Date() };
    const request = { params: { communityId, userId }, timeoutMs: TIMEOUT_MS };
    try {
      const [{ roles = [], errors = [] }, { items }] = await Promise.all([
        this.portal.call(user, 'AccessControlController.getRoles', request, tokenGatingResponse),
        this.portal.call(user, 'CommunityRoleController.listRoles', request, roleNames),
      ]);
      const held = new Set(roles.flatMap(({ id, granted }) => (granted ? [id] : [])));
      if (held.size === 0 && errors.length > 0) return undefined;
      return items.flatMap(({ id, name }) => (held.has(id) ? [name] : []));
    } catch {
      // The wallet is linked all the same, so that no failure here may be shown as one of linking.
      return undefined;
    }
  }
}
