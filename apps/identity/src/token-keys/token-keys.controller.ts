import { Internal, onlyFor } from '@app/auth';
import { type TokenKeys as GatewayKeys, tokenKeys } from '@app/dto';
import { Returns } from '@app/service';
import { Controller, Get, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { TokenKeys } from './token-keys.js';

/** What the gateway checks tokens with. Secrets are among it: no other app gets them. */
@Internal()
@ApiExcludeController()
@UseGuards(onlyFor('gateway'))
@Controller('internal/token-keys')
export class TokenKeysController {
  constructor(private readonly keys: TokenKeys) {}

  @Get()
  @Returns(tokenKeys)
  gatewayKeys(): GatewayKeys {
    return this.keys.gatewayKeys();
  }
}
