import { Internal, allowOnlyServices } from '@app/auth';
import { type UsersResponse, usersResponse, type UsersRequest, usersRequest } from '@app/dto';
import { Returns } from '@app/service';
import { Body, Controller, Post, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { DirectoryService } from './directory.service.js';

/** User lookup for token-gating. */
@Internal()
@ApiExcludeController()
@UseGuards(allowOnlyServices('token-gating'))
@Controller('internal/users')
export class UsersController {
  constructor(private readonly directory: DirectoryService) {}

  @Post()
  @Returns(usersResponse)
  find(@Body({ schema: usersRequest }) { userIds }: UsersRequest): Promise<UsersResponse> {
    return this.directory.findUsers(userIds);
  }
}
