import { Operation, Returns, InternalController } from '@app/service';
import { Controller, Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import { z } from 'zod';
import { TokenKeysService } from './token-keys.service.js';
import { TokenGatingKeyCache } from './token-gating-key-cache.js';
import { type TokenKeys, tokenKeys } from '@app/dto';

/** RFC 7517 section 5. */
const jwks = z
  .object({
    keys: z.array(
      z.looseObject({
        kty: z.string(),
        kid: z.string(),
        use: z.string().optional(),
        alg: z.string().optional(),
      }),
    ),
  })
  .meta({ id: 'JsonWebKeySet' });

type Jwks = z.output<typeof jwks>;

/** Far below TOKEN_KEY_PUBLISH_AHEAD_MS: clients load a key long before its first use. */
const CACHE_CONTROL = 'public, max-age=300';
/** The keys of token-gating are missing, but may be available at the next request. */
const CACHE_CONTROL_INCOMPLETE = 'no-store';

/** Public keys of all tokens, asset claims and callbacks. */
@Controller('.well-known/jwks.json')
export class JwksController {
  constructor(
    private readonly tokenGatingKeys: TokenGatingKeyCache,
    private readonly tokenKeys: TokenKeysService,
  ) {}

  @Get()
  @Operation({
    caller: 'none',
    summary: 'The JSON Web Key Set',
    description:
      'The public keys that verify access tokens, id tokens and callbacks of this service (RFC 7517). Look a key up again ' +
      'when a token names one that is not in your copy.',
  })
  @Returns(jwks)
  async getJwks(@Res({ passthrough: true }) response: Response): Promise<Jwks> {
    const others = await this.tokenGatingKeys.getKeys();
    response.setHeader('Cache-Control', others ? CACHE_CONTROL : CACHE_CONTROL_INCOMPLETE);
    const { keys = [], claimKeys = [] } = others ?? {};
    return { keys: [...this.tokenKeys.getPublicKeys(), ...keys, ...claimKeys] };
  }
}

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
