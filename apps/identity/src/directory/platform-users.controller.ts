import { Internal, onlyFor } from '@app/auth';
import {
  type PlatformUsersAnswer,
  platformUsersAnswer,
  type PlatformUsersQuestion,
  platformUsersQuestion,
} from '@app/dto';
import { Returns } from '@app/service';
import { Body, Controller, Post, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { PlatformUsers } from './platform-users.js';

/** Token-gating says whom attached client applications vouch for. */
@Internal()
@ApiExcludeController()
@UseGuards(onlyFor('token-gating'))
@Controller('internal/platform-users')
export class PlatformUsersController {
  constructor(private readonly users: PlatformUsers) {}

  @Post()
  @Returns(platformUsersAnswer)
  upsert(
    @Body({ schema: platformUsersQuestion }) { users }: PlatformUsersQuestion,
  ): Promise<PlatformUsersAnswer> {
    return this.users.upsert(users);
  }
}
