import { type Principal, requireSignedInUser } from '@app/auth';
import { Injectable } from '@nestjs/common';
import type { z } from 'zod';
import { UsersService } from '../users/users.service.js';
import type { userInfo } from './openid.dto.js';

/** Claims about the authenticated user that the token's scopes permit. */
@Injectable()
export class UserInfoService {
  constructor(private readonly users: UsersService) {}

  async getClaims(principal: Principal): Promise<z.input<typeof userInfo>> {
    const { id } = requireSignedInUser(principal);
    if (principal.kind !== 'caller' || !principal.scopes.includes('user:read')) return { sub: id };
    const user = await this.users.find(id);
    return {
      sub: id,
      name: user?.name ?? undefined,
      preferred_username: user?.username ?? user?.userName ?? undefined,
      picture: user?.picture ?? undefined,
    };
  }
}
