import { Internal, allowOnlyServices } from '@app/auth';
import { type TokenKeys, tokenKeys } from '@app/dto';
import { Returns } from '@app/service';
import { Controller, Get, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { TokenKeysService } from './token-keys.service.js';

/** The keys with which gateways verify tokens. They include secrets, so that no other app may read them. */
@Internal()
@ApiExcludeController()
@UseGuards(allowOnlyServices('gateway'))
@Controller('internal/token-keys')
export class TokenKeysController {
  constructor(private readonly keys: TokenKeysService) {}

  @Get()
  @Returns(tokenKeys)
  getKeys(): TokenKeys {
    return this.keys.getGatewayKeys();
  }
}
