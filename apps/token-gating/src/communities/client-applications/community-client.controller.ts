import { CurrentPrincipal, type Principal } from '@app/auth';
import { Callback, Operation, Returns, ReturnsNothing } from '@app/service';
import { Body, Controller, Delete, Get, Param, Put } from '@nestjs/common';
import { ApiBody } from '@nestjs/swagger';
import { z } from 'zod';
import { type CommunityParams, communityParams } from '../access/community-record.js';
import { receiverChallenge, roleCallback } from '../../callbacks/callback-body.js';
import {
  ADMINISTRATOR_ERRORS,
  communityRead,
  communityWriteByUser,
  VIEWER_ERRORS,
} from '../access/operation-security.js';
import {
  attachedClientList,
  type AttachedClientParams,
  attachedClientParams,
  AttachedClientsService,
  type ClientAttachment,
  clientAttachment,
  MAX_ATTACHED_CLIENTS,
} from './attached-clients.service.js';

@Controller('communities/:communityId/client-applications')
export class CommunityClientController {
  constructor(private readonly clients: AttachedClientsService) {}

  @Get()
  @Operation({
    ...communityRead,
    summary: 'List attached client applications, for administrators',
    description:
      'The client applications that may see the community and its members, with the callback URLs of those that have one. ' +
      'Administrators may.',
    errors: VIEWER_ERRORS,
  })
  @Returns(attachedClientList)
  listClients(
    @CurrentPrincipal() principal: Principal,
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
  ) {
    return this.clients.list(principal, communityId);
  }

  @Put(':clientId')
  @Operation({
    ...communityWriteByUser,
    requiresWalletLogin: true,
    summary: 'Attach a client application or change its callback URL, for administrators',
    description:
      'The application may see the community and its members, and add users of chat, microblog and codehost. Changed roles of ' +
      'members are sent to `callbackUrl`, once its receiver has answered a challenge. Administrators may.',
    conflicts: {
      client_limit_exceeded: `a community has at most ${MAX_ATTACHED_CLIENTS} client applications`,
    },
    errors: [...ADMINISTRATOR_ERRORS, '404 client_not_found', '503 identity_unavailable'],
  })
  @Callback(z.union([roleCallback, receiverChallenge]), {
    name: 'roleChange',
    urlField: 'callbackUrl',
    summary:
      'The challenge that the receiver has to answer first, and then roles of a member that changed; signed',
  })
  @ApiBody({ required: false })
  @ReturnsNothing()
  async attachClient(
    @CurrentPrincipal() principal: Principal,
    @Param({ schema: attachedClientParams }) { communityId, clientId }: AttachedClientParams,
    @Body({ schema: clientAttachment.optional() }) { callbackUrl }: ClientAttachment = {},
  ): Promise<void> {
    await this.clients.attach(principal, communityId, clientId, callbackUrl);
  }

  @Delete(':clientId')
  @Operation({
    ...communityWriteByUser,
    summary: 'Detach a client application, for administrators',
    description:
      'The application sees the community no more, and no role callbacks are sent to it. Administrators may.',
    errors: [...ADMINISTRATOR_ERRORS, '404 client_not_found'],
  })
  @ReturnsNothing()
  async detachClient(
    @CurrentPrincipal() principal: Principal,
    @Param({ schema: attachedClientParams }) { communityId, clientId }: AttachedClientParams,
  ): Promise<void> {
    await this.clients.detach(principal, communityId, clientId);
  }
}
