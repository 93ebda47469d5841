import { Operation, Returns } from '@app/service';
import { Controller, Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import { TokenKeysService } from './token-keys.service.js';
import { CallbackKeyCache } from './callback-key-cache.js';
import { type Jwks, jwks } from './jwks.dto.js';

/** Keys are published a day before their first use: nobody has to look more often than this. */
const CACHE_CONTROL = 'public, max-age=300';
/** Something is missing that may be there in a moment. */
const CACHE_CONTROL_INCOMPLETE = 'no-store';

/** The public keys that anybody may check our signatures with. */
@Controller('.well-known/jwks.json')
export class JwksController {
  constructor(
    private readonly callbackKeys: CallbackKeyCache,
    private readonly tokenKeys: TokenKeysService,
  ) {}

  @Get()
  @Operation({ caller: 'none', summary: 'The JSON Web Key Set' })
  @Returns(jwks)
  async getJwks(@Res({ passthrough: true }) response: Response): Promise<Jwks> {
    const callbackKeys = await this.callbackKeys.getKeys();
    response.setHeader('Cache-Control', callbackKeys ? CACHE_CONTROL : CACHE_CONTROL_INCOMPLETE);
    return { keys: [...this.tokenKeys.getPublicKeys(), ...(callbackKeys?.keys ?? [])] };
  }
}
