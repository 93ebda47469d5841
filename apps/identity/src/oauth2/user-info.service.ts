import type { Principal } from '@app/auth';
import { unauthorized } from '@app/common';
import { Injectable } from '@nestjs/common';
import type { z } from 'zod';
import { UsersService } from '../users/users.service.js';
import type { userInfo } from './openid.dto.js';

/** Claims about the user that the gateway found, as far as the token's scopes go. */
@Injectable()
export class UserInfoService {
  constructor(private readonly users: UsersService) {}

  async getClaims(principal: Principal): Promise<z.input<typeof userInfo>> {
    if (principal.kind !== 'caller' || !principal.user)
      throw unauthorized('user_required', 'This needs a user.');
    const { id } = principal.user;
    if (!principal.scopes.includes('user:read')) return { sub: id };
    const user = await this.users.find(id);
    return {
      sub: id,
      name: user?.name ?? undefined,
      preferred_username: user?.username ?? user?.userName ?? undefined,
      picture: user?.picture ?? undefined,
    };
  }
}
