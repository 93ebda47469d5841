import { Internal, onlyFor } from '@app/auth';
import { type UsersAnswer, usersAnswer, type UsersQuestion, usersQuestion } from '@app/dto';
import { Returns } from '@app/service';
import { Body, Controller, Post, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { UserDirectory } from './user-directory.js';

/** What token-gating asks about members. */
@Internal()
@ApiExcludeController()
@UseGuards(onlyFor('token-gating'))
@Controller('internal/users')
export class UsersController {
  constructor(private readonly directory: UserDirectory) {}

  @Post()
  @Returns(usersAnswer)
  find(@Body({ schema: usersQuestion }) { userIds }: UsersQuestion): Promise<UsersAnswer> {
    return this.directory.find(userIds);
  }
}
