import { type TokenGatingKeySet, tokenGatingKeySet } from '@app/dto';
import { InternalController, Returns } from '@app/service';
import { Get, Module } from '@nestjs/common';
import { ClaimKeyRing } from '../assets/verification/claim-key-ring.js';
import { ClaimKeysModule } from '../assets/verification/keys/claim-keys.module.js';
import { CallbackKeyRing } from '../callbacks/callback-key-ring.js';
import { CallbackKeysModule } from '../callbacks/signing-keys/callback-keys.module.js';

/** Public keys, which identity merges into the published JWKS. */
@InternalController('internal/jwks', 'identity')
class JwksController {
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

@Module({ imports: [CallbackKeysModule, ClaimKeysModule], controllers: [JwksController] })
export class JwksModule {}
