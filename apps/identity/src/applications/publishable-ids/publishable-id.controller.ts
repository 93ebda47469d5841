import { CurrentPrincipal, type Principal, requireSignedInUser } from '@app/auth';
import type { DeclaredError } from '@app/openapi';
import { Operation, type OperationOptions, Returns, ReturnsNothing } from '@app/service';
import { Body, Controller, Delete, Get, Param, Post } from '@nestjs/common';
import { PORTAL_SCOPE_EXAMPLE } from '../client-application.dto.js';
import { type ApplicationParams, applicationParams } from '../credentials/credential.dto.js';
import {
  newPublishableId,
  type NewPublishableId,
  publishableId,
  publishableIdList,
  publishableIdParams,
  type PublishableIdParams,
  toPublishableIdResponse,
} from './publishable-id.dto.js';
import { MAX_PUBLISHABLE_IDS, PublishableIdsService } from './publishable-ids.service.js';

const ownerOperation = {
  caller: 'user',
  scope: 'user:client-application:write',
  example: PORTAL_SCOPE_EXAMPLE,
} as const satisfies Partial<OperationOptions>;

const OWNED_ERRORS: readonly DeclaredError[] = ['404 client_not_found'];

/** Publishable ids of the applications of the signed-in user (docs/adr/0121-publishable-ids.md). */
@Controller('client-applications/:clientId/publishable-ids')
export class PublishableIdController {
  constructor(private readonly publishableIds: PublishableIdsService) {}

  @Get()
  @Operation({
    ...ownerOperation,
    summary: 'The publishable ids of a client application',
    description:
      'The ids that work now, with their origins, the oldest first. An application has none until one is created.',
    errors: OWNED_ERRORS,
  })
  @Returns(publishableIdList)
  async listPublishableIds(
    @CurrentPrincipal() caller: Principal,
    @Param({ schema: applicationParams }) { clientId }: ApplicationParams,
  ) {
    const ids = await this.publishableIds.list(requireSignedInUser(caller).id, clientId);
    return { items: ids.map(toPublishableIdResponse) };
  }

  @Post()
  @Operation({
    ...ownerOperation,
    summary: 'Create a publishable id for pages in browsers',
    description:
      'A publishable id may stand in a page. In `X-API-Key`, from the origins of its list, it has published rules checked, and lists ' +
      'chains and rule types; every other operation refuses it. Browsers have half of the second and the month of the plan, beside those of ' +
      'the API keys, and five requests a second and address.',
    requiresWalletLogin: true,
    conflicts: {
      publishable_id_limit_exceeded: `the application has ${MAX_PUBLISHABLE_IDS} publishable ids`,
    },
    errors: OWNED_ERRORS,
  })
  @Returns(publishableId, { status: 201 })
  async createPublishableId(
    @CurrentPrincipal() caller: Principal,
    @Param({ schema: applicationParams }) { clientId }: ApplicationParams,
    @Body({ schema: newPublishableId }) body: NewPublishableId,
  ) {
    const userId = requireSignedInUser(caller).id;
    return toPublishableIdResponse(await this.publishableIds.create(userId, clientId, body));
  }

  @Delete(':id')
  @Operation({
    ...ownerOperation,
    summary: 'Revoke a publishable id',
    description:
      'Requests with the id are refused within seconds, and it cannot be undone. API keys go on working.',
    requiresWalletLogin: true,
    errors: [...OWNED_ERRORS, '404 publishable_id_not_found'],
  })
  @ReturnsNothing()
  async revokePublishableId(
    @CurrentPrincipal() caller: Principal,
    @Param({ schema: publishableIdParams }) { clientId, id }: PublishableIdParams,
  ): Promise<void> {
    await this.publishableIds.revoke(requireSignedInUser(caller).id, clientId, id);
  }
}
