import { type CallbackKeySet, callbackKeySet } from '@app/dto';
import { InternalController, Returns } from '@app/service';
import { Get } from '@nestjs/common';
import { CallbackKeyRing } from './callback-key-ring.js';

/** Public callback keys, which identity merges into the published JWKS. */
@InternalController('internal/jwks', 'identity')
export class CallbackKeysController {
  constructor(private readonly keys: CallbackKeyRing) {}

  @Get()
  @Returns(callbackKeySet)
  publicKeys(): CallbackKeySet {
    return this.keys.getPublicKeys();
  }
}
