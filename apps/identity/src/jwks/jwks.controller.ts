import { Operation, Returns } from '@app/service';
import { Controller, Get, Header } from '@nestjs/common';
import { type Jwks, jwks } from './jwks.dto.js';

/** Keys are published a day before their first use: nobody has to look more often than this. */
const CACHE = 'public, max-age=300';

/** The public keys that anybody may check our signatures with. Nothing is signed for the outside yet. */
@Controller('.well-known/jwks.json')
export class JwksController {
  @Get()
  @Operation({ caller: 'none', summary: 'The JSON Web Key Set' })
  @Header('Cache-Control', CACHE)
  @Returns(jwks)
  getJwks(): Jwks {
    return { keys: [] };
  }
}
