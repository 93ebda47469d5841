import { type TokenKeys, tokenKeys } from '@app/dto';
import { InternalController, Returns } from '@app/service';
import { Get } from '@nestjs/common';
import { TokenKeysService } from './token-keys.service.js';

/** The keys with which gateways verify tokens. They include secrets, so that no other app may read them. */
@InternalController('internal/token-keys', 'gateway')
export class TokenKeysController {
  constructor(private readonly keys: TokenKeysService) {}

  @Get()
  @Returns(tokenKeys)
  getKeys(): TokenKeys {
    return this.keys.getGatewayKeys();
  }
}
