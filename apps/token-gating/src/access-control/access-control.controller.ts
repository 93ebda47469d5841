import { CurrentPrincipal, type Principal } from '@app/auth';
import {
  tokenGatingRequest,
  type TokenGatingRequest,
  tokenGatingResponse,
  type TokenGatingResponse,
} from '@app/dto';
import { Operation, Returns } from '@app/service';
import { Body, Controller, Get, Param, Post, Res } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import type { Response } from 'express';
import type { Requester } from '../subjects/requester.js';
import { CurrentRequester } from './current-requester.decorator.js';
import { AcceptCheckService } from '../checks/async/accept-check.service.js';
import type { StoredRequest } from '../checks/async/async-check.js';
import { IdempotencyKey } from './idempotency-key.decorator.js';
import { UnvalidatedBody } from '../checks/unvalidated-body.decorator.js';
import { CheckRolesService } from '../checks/check-roles.service.js';
import { AMBIGUOUS_USER_CONFLICT } from '../communities/members/find-member.queries.js';
import { MemberRolesService } from '../roles/member-roles/member-roles.service.js';
import { RedeliveryService } from '../checks/async/redelivery.service.js';
import {
  type CheckResponseParams,
  checkResponseParams,
  type MemberParams,
  memberParams,
  redelivery,
  type Redelivery,
} from './access-control.dto.js';
import { CheckResponseService } from './check-response.service.js';
import { CurrentClientId } from './current-client-id.decorator.js';
import { LenientHandling } from './lenient-handling.decorator.js';

const access = { caller: 'client', scope: 'token-gating' } as const;
const POLL_AFTER_SECONDS = '1';

/** spec.md 4.2: token gating. */
@Controller('access-control')
export class AccessControlController {
  constructor(
    private readonly checks: CheckRolesService,
    private readonly acceptance: AcceptCheckService,
    private readonly responses: CheckResponseService,
    private readonly redeliveries: RedeliveryService,
    private readonly memberRoles: MemberRolesService,
  ) {}

  @Post('check-roles')
  @Operation({
    ...access,
    summary: 'Which roles do rules grant to an account?',
    description:
      'One entry per role, in the order first seen; a role is granted when one of its rules is. When a node does not ' +
      'answer, the answer is 503 with Retry-After; with the header `Prefer: handling=lenient` it is 200 with `errors`. ' +
      'With `async` or `callbackUrl` the answer is a requestId at once; an `Idempotency-Key` header makes that safe to ' +
      'repeat.',
    conflicts: { idempotency_key_conflict: 'another request came under this key' },
  })
  @Returns(tokenGatingResponse)
  async checkRoles(
    @Body({ schema: tokenGatingRequest }) request: TokenGatingRequest,
    @UnvalidatedBody() raw: StoredRequest,
    @CurrentClientId() clientId: string,
    @CurrentRequester() asker: Requester,
    @IdempotencyKey() idempotencyKey: string | undefined,
    @LenientHandling() lenient: boolean,
    @Res({ passthrough: true }) response: Response,
  ): Promise<TokenGatingResponse> {
    if (request.async === true || request.callbackUrl !== undefined) {
      return {
        requestId: await this.acceptance.accept(request, {
          clientId,
          requester: asker,
          originalRequest: raw,
          idempotencyKey,
        }),
      };
    }
    const answer = await this.checks.checkRoles(request, { requester: asker, lenient });
    if (lenient) response.setHeader('Preference-Applied', 'handling=lenient');
    return answer;
  }

  @Get('check-roles/responses/:requestId')
  @Operation({ ...access, summary: 'The result of an asynchronous check' })
  @Returns(tokenGatingResponse)
  @ApiResponse({ status: 202, description: 'Not finished yet: ask again after Retry-After.' })
  async getCheckRolesResponse(
    @Param({ schema: checkResponseParams }) { requestId }: CheckResponseParams,
    @CurrentClientId() clientId: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<TokenGatingResponse> {
    const answer = await this.responses.find(requestId, clientId);
    if (!answer.roles) response.status(202).setHeader('Retry-After', POLL_AFTER_SECONDS);
    return answer;
  }

  @Post('check-roles/responses/:requestId/redeliveries')
  @Operation({
    ...access,
    summary: 'Send the callback of an asynchronous check again',
    conflicts: {
      check_result_required: 'there is no result yet',
      callback_required: 'the check was made without a callbackUrl',
    },
  })
  @Returns(redelivery)
  async redeliverCheckRolesResponse(
    @Param({ schema: checkResponseParams }) { requestId }: CheckResponseParams,
    @CurrentClientId() clientId: string,
  ): Promise<Redelivery> {
    return { requestId, deliveryId: await this.redeliveries.redeliver(requestId, clientId) };
  }

  @Get(':communityId/:userId/roles')
  @Operation({
    caller: 'either',
    scope: 'token-gating',
    summary: 'Which roles does a member hold in a community?',
    description:
      "The community's rules are checked against all wallets of the member, summed, and what differs from the roles held so " +
      'far is stored. `userId` is the id of the user, or what the user goes by on their platform. For the member, for ' +
      'administrators of the community and for client applications attached to it; 404 for everybody else. A role that ' +
      'cannot be told stays as it is: when a node does not answer, the answer is 503 with Retry-After; with the header ' +
      '`Prefer: handling=lenient` it is 200 with `errors`.',
    conflicts: AMBIGUOUS_USER_CONFLICT,
  })
  @Returns(tokenGatingResponse)
  async getRoles(
    @Param({ schema: memberParams }) params: MemberParams,
    @CurrentPrincipal() principal: Principal,
    @LenientHandling() lenient: boolean,
    @Res({ passthrough: true }) response: Response,
  ): Promise<TokenGatingResponse> {
    const answer = await this.memberRoles.find({ principal, ...params, lenient });
    if (lenient) response.setHeader('Preference-Applied', 'handling=lenient');
    return answer;
  }
}
