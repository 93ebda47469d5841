import { Operation, Returns } from '@app/service';
import { Controller, Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import { TokenKeys } from '../token-keys/token-keys.js';
import { CallbackKeys } from './callback-keys.js';
import { type Jwks, jwks } from './jwks.dto.js';

/** Keys are published a day before their first use: nobody has to look more often than this. */
const CACHE = 'public, max-age=300';
/** Something is missing that may be there in a moment. */
const INCOMPLETE = 'no-store';

/** The public keys that anybody may check our signatures with. */
@Controller('.well-known/jwks.json')
export class JwksController {
  constructor(
    private readonly callbackKeys: CallbackKeys,
    private readonly tokenKeys: TokenKeys,
  ) {}

  @Get()
  @Operation({ caller: 'none', summary: 'The JSON Web Key Set' })
  @Returns(jwks)
  async getJwks(@Res({ passthrough: true }) response: Response): Promise<Jwks> {
    const callbackKeys = await this.callbackKeys.current();
    response.setHeader('Cache-Control', callbackKeys ? CACHE : INCOMPLETE);
    return { keys: [...this.tokenKeys.publicKeys(), ...(callbackKeys?.keys ?? [])] };
  }
}
