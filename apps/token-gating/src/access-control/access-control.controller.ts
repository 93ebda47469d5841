import { Body, Controller, Get, Param, Post, Res } from '@nestjs/common';
import {
  tokenGatingRequest,
  type TokenGatingRequest,
  tokenGatingResponse,
  type TokenGatingResponse,
} from '@app/dto';
import { notBuiltYet, Operation, Returns } from '@app/service';
import type { Response } from 'express';
import { CheckRolesService } from '../check-roles/check-roles.service.js';
import { checkResponseParams, memberParams } from './access-control.dto.js';
import { LenientHandling } from './lenient-handling.decorator.js';

/** spec.md 4.2: token gating. */
@Controller('access-control')
export class AccessControlController {
  constructor(private readonly checks: CheckRolesService) {}

  @Post('check-roles')
  @Operation({
    caller: 'client',
    scope: 'token-gating',
    summary: 'Which roles do rules grant to an account?',
    description:
      'One entry per role, in the order first seen; a role is granted when one of its rules is. When a node does not ' +
      'answer, the answer is 503 with Retry-After; with the header `Prefer: handling=lenient` it is 200 with `errors`.',
  })
  @Returns(tokenGatingResponse)
  async checkRoles(
    @Body({ schema: tokenGatingRequest }) request: TokenGatingRequest,
    @LenientHandling() lenient: boolean,
    @Res({ passthrough: true }) response: Response,
  ): Promise<TokenGatingResponse> {
    const answer = await this.checks.check(request, { lenient });
    if (lenient) response.setHeader('Preference-Applied', 'handling=lenient');
    return answer;
  }

  @Get('check-roles/responses/:requestId')
  @Operation({ caller: 'client', scope: 'token-gating', summary: 'The result of an asynchronous check' })
  @Returns(tokenGatingResponse)
  getCheckRolesResponse(@Param({ schema: checkResponseParams }) _params: unknown): never {
    return notBuiltYet();
  }

  @Get(':communityId/:userId/roles')
  @Operation({
    caller: 'either',
    scope: 'token-gating',
    summary: 'Which roles does a member hold in a community?',
  })
  @Returns(tokenGatingResponse)
  getRoles(@Param({ schema: memberParams }) _params: unknown): never {
    return notBuiltYet();
  }
}
