import { Internal, allowOnlyServices } from '@app/auth';
import { type TokenKeys as GatewayKeys, tokenKeys } from '@app/dto';
import { Returns } from '@app/service';
import { Controller, Get, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { TokenKeysService } from './token-keys.service.js';

/** What the gateway checks tokens with. Secrets are among it: no other app gets them. */
@Internal()
@ApiExcludeController()
@UseGuards(allowOnlyServices('gateway'))
@Controller('internal/token-keys')
export class TokenKeysController {
  constructor(private readonly keys: TokenKeysService) {}

  @Get()
  @Returns(tokenKeys)
  gatewayKeys(): GatewayKeys {
    return this.keys.getGatewayKeys();
  }
}
