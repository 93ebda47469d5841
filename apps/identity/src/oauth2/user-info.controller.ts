import type { Principal } from '@app/auth';
import { CurrentPrincipal } from '@app/auth';
import { FormBody, Operation, Returns } from '@app/service';
import { Controller, HttpCode, Post } from '@nestjs/common';
import type { z } from 'zod';
import { userInfo } from './openid.dto.js';
import { UserInfoService } from './user-info.service.js';

/** UserInfo by POST (OpenID Connect Core 1.0 section 5.3.1). Accepts the token in `Authorization` only. */
@Controller('oauth2/userinfo')
export class UserInfoController {
  constructor(private readonly userInfo: UserInfoService) {}

  @Post()
  @Operation({ caller: 'user', scope: 'openid', summary: 'Claims about the user (by POST)' })
  @FormBody()
  @HttpCode(200)
  @Returns(userInfo)
  postUserInfo(@CurrentPrincipal() principal: Principal): Promise<z.input<typeof userInfo>> {
    return this.userInfo.getClaims(principal);
  }
}
