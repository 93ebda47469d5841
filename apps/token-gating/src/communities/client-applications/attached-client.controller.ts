import { Caller, type Principal } from '@app/auth';
import { Operation, Returns } from '@app/service';
import { Body, Controller, Delete, Get, HttpCode, Param, Put } from '@nestjs/common';
import { ApiBody, ApiOkResponse } from '@nestjs/swagger';
import { type CommunityParams, communityParams } from '../access/community-params.js';
import { read, write } from '../shared/operations.js';
import {
  attachedClientList,
  type AttachedClientParams,
  attachedClientParams,
  type Attachment,
  attachment,
} from './attached-client.dto.js';
import { AttachedClientsService, MOST_CLIENTS } from './attached-clients.service.js';

@Controller('communities/:communityId/client-applications')
export class CommunityClientController {
  constructor(private readonly clients: AttachedClientsService) {}

  @Get()
  @Operation({ ...read, summary: 'Client applications that are attached to a community; for administrators' })
  @Returns(attachedClientList)
  listClients(
    @Caller() caller: Principal,
    @Param({ schema: communityParams }) { communityId }: CommunityParams,
  ) {
    return this.clients.list(caller, communityId);
  }

  @Put(':clientId')
  @Operation({
    ...write,
    summary: 'Attach a client application, or change what is called; for administrators',
    description: 'It sees the community and its members, and may add users of chat, microblog and codehost.',
    conflicts: { too_many_clients: `a community has ${MOST_CLIENTS} at most` },
  })
  @ApiBody({ required: false })
  @HttpCode(200)
  @ApiOkResponse()
  async attachClient(
    @Caller() caller: Principal,
    @Param({ schema: attachedClientParams }) { communityId, clientId }: AttachedClientParams,
    @Body({ schema: attachment.optional() }) { callbackUrl }: Attachment = {},
  ): Promise<void> {
    await this.clients.attach(caller, communityId, clientId, callbackUrl);
  }

  @Delete(':clientId')
  @Operation({ ...write, summary: 'Detach a client application; for administrators' })
  @HttpCode(200)
  @ApiOkResponse()
  async detachClient(
    @Caller() caller: Principal,
    @Param({ schema: attachedClientParams }) { communityId, clientId }: AttachedClientParams,
  ): Promise<void> {
    await this.clients.detach(caller, communityId, clientId);
  }
}
