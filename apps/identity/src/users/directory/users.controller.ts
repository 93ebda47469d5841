import { Internal, allowOnlyServices } from '@app/auth';
import { type UsersResponse, usersResponse, type UsersRequest, usersRequest } from '@app/dto';
import { Returns } from '@app/service';
import { Body, Controller, Post, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { UserQueries } from './user.queries.js';

/** What token-gating asks about members. */
@Internal()
@ApiExcludeController()
@UseGuards(allowOnlyServices('token-gating'))
@Controller('internal/users')
export class UsersController {
  constructor(private readonly directory: UserQueries) {}

  @Post()
  @Returns(usersResponse)
  find(@Body({ schema: usersRequest }) { userIds }: UsersRequest): Promise<UsersResponse> {
    return this.directory.findByIds(userIds);
  }
}
