import { Internal, onlyFor } from '@app/auth';
import { type CallbackKeySet, callbackKeySet } from '@app/dto';
import { Returns } from '@app/service';
import { Controller, Get, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { CallbackKeys } from './callback-keys.js';

/** What identity merges into the published key set. */
@Internal()
@ApiExcludeController()
@UseGuards(onlyFor('identity'))
@Controller('internal/jwks')
export class CallbackKeysController {
  constructor(private readonly keys: CallbackKeys) {}

  @Get()
  @Returns(callbackKeySet)
  publicKeys(): CallbackKeySet {
    return this.keys.publicKeys();
  }
}
