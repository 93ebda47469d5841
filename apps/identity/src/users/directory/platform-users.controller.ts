import { Internal, allowOnlyServices } from '@app/auth';
import {
  type PlatformUsersResponse,
  platformUsersResponse,
  type PlatformUsersRequest,
  platformUsersRequest,
} from '@app/dto';
import { Returns } from '@app/service';
import { Body, Controller, Post, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { DirectoryService } from './directory.service.js';

/** Token-gating stores platform users that attached client applications report. */
@Internal()
@ApiExcludeController()
@UseGuards(allowOnlyServices('token-gating'))
@Controller('internal/platform-users')
export class PlatformUsersController {
  constructor(private readonly directory: DirectoryService) {}

  @Post()
  @Returns(platformUsersResponse)
  upsert(
    @Body({ schema: platformUsersRequest }) { users }: PlatformUsersRequest,
  ): Promise<PlatformUsersResponse> {
    return this.directory.upsertUsers(users);
  }
}
