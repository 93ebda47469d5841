import { type TokenGatingKeySet, tokenGatingKeySet } from '@app/dto';
import { InternalController, Returns } from '@app/service';
import { Get } from '@nestjs/common';
import { ClaimKeyRing } from '../assets/verification/claim-key-ring.js';
import { CallbackKeyRing } from '../callbacks/callback-key-ring.js';

/** Public keys, which identity merges into the published JWKS. */
@InternalController('internal/jwks', 'identity')
export class JwksController {
  constructor(
    private readonly callbackKeys: CallbackKeyRing,
    private readonly claimKeys: ClaimKeyRing,
  ) {}

  @Get()
  @Returns(tokenGatingKeySet)
  publicKeys(): TokenGatingKeySet {
    return { ...this.callbackKeys.getPublicKeys(), claimKeys: this.claimKeys.getPublicKeys() };
  }
}
