import { AppError, badRequest, RETRY_AFTER_SECONDS } from '@app/common';
import { CurrentPrincipal, getTenantId, type Principal } from '@app/auth';
import {
  account,
  type Account,
  CHECK_ROLES_EXAMPLES,
  type TokenGatingExplanation,
  tokenGatingResponse,
  type TokenGatingResponse,
  EXAMPLES,
  tokenGatingRequest,
} from '@app/dto';
import type { DeclaredError } from '@app/openapi';
import {
  Callback,
  CurrentClient,
  IdempotencyKey,
  Operation,
  type RequestingClient,
  Returns,
  toResponseHeaders,
} from '@app/service';
import { Body, Controller, Get, Injectable, Param, Post, Res } from '@nestjs/common';
import { ApiBody, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import type { Response } from 'express';
import {
  checkNotFound,
  RedeliveryService,
  AcceptCheckService,
} from '../checks/async/accept-check.service.js';
import { CheckResultRepository } from '../checks/async/check.repository.js';
import type { CheckReader } from '../checks/async/checks.queries.js';
import { type Requester, toRequester, UserAddressesService } from '../subjects/user-addresses.service.js';
import {
  announcePreferences,
  CALLER_ALONE,
  CurrentCheckReader,
  CurrentPreferences,
  CurrentRequester,
  maySeeUserWallets,
  type Preferences,
} from './request.decorators.js';
import { checkCallback } from '../callbacks/callback-body.js';
import { MAX_DELIVERIES_PER_RESULT } from '../callbacks/callback.errors.js';
import { CheckRolesService } from '../checks/check-roles.service.js';
import { communityParams } from '../communities/access/community-record.js';
import { memberId } from '../communities/members/member.dto.js';
import { AMBIGUOUS_USER_CONFLICT } from '../communities/members/member.errors.js';
import { MemberRolesService } from '../roles/member-roles/member-roles.service.js';
import { z } from 'zod';
import { keepOriginal } from '../checks/keep-original.js';

/** Asynchronous checks store the original request. */
export const checkRolesBody = keepOriginal(tokenGatingRequest);
type CheckRolesBody = z.output<typeof checkRolesBody>;

const checkResponseParams = z.object({
  requestId: z.string().min(1).max(128).meta({ example: EXAMPLES.requestId }),
});
type CheckResponseParams = z.output<typeof checkResponseParams>;

const redelivery = z
  .object({ requestId: z.string(), deliveryId: z.string() })
  .meta({ id: 'Redelivery', description: 'A callback that is sent again, with a new delivery id.' });
type Redelivery = z.output<typeof redelivery>;

export const memberParams = communityParams.extend({ userId: memberId.meta({ example: EXAMPLES.holderId }) });
type MemberParams = z.output<typeof memberParams>;

function explainMisplaced() {
  const message = 'is for asynchronous checks: this one takes the header `Prefer: explain`';
  return badRequest('input_invalid', `explain: ${message}`, { issues: [{ path: 'explain', message }] });
}

/** Results of asynchronous checks for polling (contract.md section 5). */
@Injectable()
export class CheckResponseService {
  constructor(
    private readonly results: CheckResultRepository,
    private readonly users: UserAddressesService,
  ) {}

  /**
   * Returns `requestId` alone while the check is not finished. Explanations are for the caller that asked for them; whether that
   * one may see the wallets of a user is judged by the credential and the grant of now.
   * @throws AppError 404 for checks that the reader may not see, 503 while identity does not tell whether the grant holds
   */
  async find(requestId: string, reader: CheckReader, principal: Principal): Promise<TokenGatingResponse> {
    const stored = await this.results.find(requestId, reader);
    if (!stored) throw checkNotFound();
    const { result, explanations } = stored;
    if (!result) return { requestId };
    if (!explanations) return { requestId, ...result };
    const showsHoldings = await this.maySeeHoldings(account.parse(stored.account), principal);
    return {
      requestId,
      ...result,
      explanations: showsHoldings ? explanations : explanations.map(withoutHoldings),
    };
  }

  private async maySeeHoldings(checked: Account, principal: Principal): Promise<boolean> {
    if (checked.family !== 'user') return true;
    const requester = maySeeUserWallets(principal) ? toRequester(principal) : undefined;
    if (!requester) return false;
    try {
      await this.users.load(checked.id, requester);
      return true;
    } catch (error) {
      if (error instanceof AppError && error.statusCode === 404) return false;
      throw error;
    }
  }
}

const withoutHoldings = ({
  held: _held,
  wallets: _wallets,
  ...explanation
}: TokenGatingExplanation): TokenGatingExplanation => explanation;

const access = { caller: 'client', scope: 'token-gating' } as const;
const STORED_CHECK_ERRORS: readonly DeclaredError[] = ['403 client_required', '404 check_not_found'];
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
    summary: 'Check which roles rules grant to an account',
    description:
      'Returns one entry per role, in the order of first occurrence; a role is granted when one of its rules is. An entry of ' +
      '`rules` may be a tree of rules (`allOf`, `anyOf`, `not`, `atLeast`). When a ' +
      'node does not answer, the status is 503 with Retry-After; with the header `Prefer: handling=lenient` it is 200 with ' +
      '`errors`; with `Prefer: explain` the response says why, of each rule. With `async` or `callbackUrl` the response is a requestId, at once; an `Idempotency-Key` header makes ' +
      'retries of that safe.',
    conflicts: { idempotency_key_conflict: 'a different request was made with this idempotency key' },
    errors: [
      '400 chain_not_supported',
      '400 rule_not_supported',
      '400 rule_read_limit_exceeded',
      '400 token_list_limit_exceeded',
      '400 url_invalid',
      '403 client_required',
      '404 account_not_found',
      '503 identity_unavailable',
      '503 roles_unavailable',
    ],
  })
  @Callback(checkCallback, {
    name: 'checkResult',
    urlField: 'callbackUrl',
    summary: 'The result of the check, signed',
  })
  @ApiBody({ schema: { $ref: getSchemaPath('TokenGatingRequest') }, examples: CHECK_ROLES_EXAMPLES })
  @Returns(tokenGatingResponse, { headers: ['Preference-Applied'] })
  async checkRoles(
    @Body({ schema: checkRolesBody }) { value: request, original }: CheckRolesBody,
    @CurrentClient() client: RequestingClient,
    @CurrentRequester() requester: Requester,
    @CurrentPrincipal() principal: Principal,
    @IdempotencyKey() idempotencyKey: string | undefined,
    @CurrentPreferences() preferences: Preferences,
    @Res({ passthrough: true }) response: Response,
  ): Promise<TokenGatingResponse> {
    if (request.async === true || request.callbackUrl !== undefined) {
      const options = { client, requester, originalRequest: original, idempotencyKey };
      return { requestId: await this.acceptance.accept(request, options) };
    }
    if (request.explain === true) throw explainMisplaced();
    const { lenient, explain } = preferences;
    const options = { requester, tenantId: getTenantId(principal), lenient };
    const explanation = explain ? { showsUserWallets: maySeeUserWallets(principal) } : undefined;
    const result = await this.checks.checkRoles(request, options, explanation);
    announcePreferences(response, preferences);
    return result;
  }

  @Get('check-roles/responses/:requestId')
  @Operation({
    ...access,
    summary: 'Get the result of an asynchronous check',
    description:
      'The result of a check that was requested with `async` or `callbackUrl`, for the client application that requested it; ' +
      '202 until it is there. With `explanations` where the check was requested with `explain`, by the same caller.',
    errors: [...STORED_CHECK_ERRORS, '503 identity_unavailable'],
  })
  @Returns(tokenGatingResponse)
  @ApiResponse({
    status: 202,
    description: 'The check is not finished: poll again after Retry-After.',
    standardSchema: tokenGatingResponse,
    headers: toResponseHeaders(['Retry-After']),
  })
  async getCheckRolesResponse(
    @Param({ schema: checkResponseParams }) { requestId }: CheckResponseParams,
    @CurrentCheckReader() reader: CheckReader,
    @CurrentPrincipal() principal: Principal,
    @Res({ passthrough: true }) response: Response,
  ): Promise<TokenGatingResponse> {
    const result = await this.responses.find(requestId, reader, principal);
    if (result.explanations) response.setHeader('Cache-Control', CALLER_ALONE);
    if (!result.roles) response.status(202).setHeader('Retry-After', String(RETRY_AFTER_SECONDS.turn));
    return result;
  }

  @Post('check-roles/responses/:requestId/redeliveries')
  @Operation({
    ...access,
    summary: 'Send the callback of an asynchronous check again',
    description:
      'Sends the result of a finished check to its `callbackUrl` once more, signed as before, for a receiver that was down or ' +
      'lost it. The client application that requested the check may ask for it.',
    conflicts: {
      check_result_required: 'the check has no result yet',
      callback_required: 'the check was made without a callbackUrl',
      redelivery_limit_exceeded: `the result was sent ${MAX_DELIVERIES_PER_RESULT} times`,
    },
    errors: STORED_CHECK_ERRORS,
  })
  @Returns(redelivery)
  async redeliverCheckRolesResponse(
    @Param({ schema: checkResponseParams }) { requestId }: CheckResponseParams,
    @CurrentCheckReader() reader: CheckReader,
  ): Promise<Redelivery> {
    return { requestId, deliveryId: await this.redeliveries.redeliver(requestId, reader) };
  }

  @Get(':communityId/:userId/roles')
  @Operation({
    caller: 'either',
    scope: 'token-gating',
    summary: 'Get the roles of a community member',
    description:
      "Checks the community's rules against the summed holdings of all wallets of the member and stores the roles that " +
      'changed. `userId` is the id of the user or their id on their platform. For the member, administrators of the ' +
      'community and client applications attached to it; 404 for all others. An undetermined role stays as it is: when a ' +
      'node does not answer, the status is 503 with Retry-After; with the header `Prefer: handling=lenient` it is 200 with ' +
      '`errors`. With `Prefer: explain` it says why, of each rule; wallets and amounts are for the member alone.',
    conflicts: AMBIGUOUS_USER_CONFLICT,
    errors: [
      '403 community_suspended',
      '404 community_not_found',
      '404 member_not_found',
      '503 identity_unavailable',
      '503 roles_unavailable',
      '503 rules_unavailable',
    ],
  })
  @Returns(tokenGatingResponse, { headers: ['Preference-Applied'] })
  async getRoles(
    @Param({ schema: memberParams }) params: MemberParams,
    @CurrentPrincipal() principal: Principal,
    @CurrentPreferences() preferences: Preferences,
    @Res({ passthrough: true }) response: Response,
  ): Promise<TokenGatingResponse> {
    const { lenient, explain } = preferences;
    const explanation = explain ? { showsUserWallets: maySeeUserWallets(principal) } : undefined;
    const result = await this.memberRoles.find({ principal, ...params, lenient, explanation });
    announcePreferences(response, preferences);
    return result;
  }
}
