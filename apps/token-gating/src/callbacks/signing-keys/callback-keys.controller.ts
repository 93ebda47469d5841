import { Internal, allowOnlyServices } from '@app/auth';
import { type CallbackKeySet, callbackKeySet } from '@app/dto';
import { Returns } from '@app/service';
import { Controller, Get, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { CallbackKeyRing } from './callback-key-ring.js';

/** Public callback keys, which identity merges into the published JWKS. */
@Internal()
@ApiExcludeController()
@UseGuards(allowOnlyServices('identity'))
@Controller('internal/jwks')
export class CallbackKeysController {
  constructor(private readonly keys: CallbackKeyRing) {}

  @Get()
  @Returns(callbackKeySet)
  publicKeys(): CallbackKeySet {
    return this.keys.getPublicKeys();
  }
}
