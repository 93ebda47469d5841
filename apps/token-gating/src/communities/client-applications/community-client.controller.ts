import { CurrentPrincipal, type Principal } from '@app/auth';
import { Operation, Returns } from '@app/service';
import { Body, Controller, Delete, Get, HttpCode, Param, Put } from '@nestjs/common';
import { ApiBody, ApiOkResponse } from '@nestjs/swagger';
import { type CommunityParams, communityParams } from '../access/community-params.js';
import { communityRead, communityWriteByUser } from '../access/operation-security.js';
import {
  attachedClientList,
  type AttachedClientParams,
  attachedClientParams,
  type ClientAttachment,
  clientAttachment,
} from './attached-client.dto.js';
import { AttachedClientsService, MAX_ATTACHED_CLIENTS } from './attached-clients.service.js';

@Controller('communities/:communityId/client-applications')
export class CommunityClientController {
  constructor(private readonly clients: AttachedClientsService) {}

  @Get()
  @Operation({
    ...communityRead,
    summary: 'List attached client applications, for administrators',
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
    summary: 'Attach a client application or change its callback URL, for administrators',
    description: 'It may see the community and its members, and add users of chat, microblog and codehost.',
    conflicts: {
      client_limit_exceeded: `a community has at most ${MAX_ATTACHED_CLIENTS} client applications`,
    },
  })
  @ApiBody({ required: false })
  @HttpCode(200)
  @ApiOkResponse()
  async attachClient(
    @CurrentPrincipal() principal: Principal,
    @Param({ schema: attachedClientParams }) { communityId, clientId }: AttachedClientParams,
    @Body({ schema: clientAttachment.optional() }) { callbackUrl }: ClientAttachment = {},
  ): Promise<void> {
    await this.clients.attach(principal, communityId, clientId, callbackUrl);
  }

  @Delete(':clientId')
  @Operation({ ...communityWriteByUser, summary: 'Detach a client application, for administrators' })
  @HttpCode(200)
  @ApiOkResponse()
  async detachClient(
    @CurrentPrincipal() principal: Principal,
    @Param({ schema: attachedClientParams }) { communityId, clientId }: AttachedClientParams,
  ): Promise<void> {
    await this.clients.detach(principal, communityId, clientId);
  }
}
