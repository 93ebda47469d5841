import { CurrentPrincipal, type Principal, requireSignedInUser } from '@app/auth';
import { Operation, Returns, ReturnsNothing } from '@app/service';
import { Body, Controller, Delete, Get, Param, Patch } from '@nestjs/common';
import {
  passkey,
  type PasskeyChange,
  passkeyChange,
  passkeyList,
  type PasskeyParams,
  passkeyParams,
} from './passkey.dto.js';
import type { Passkey } from './passkeys.queries.js';
import { PasskeysService } from './passkeys.service.js';

const EXAMPLE = { status: 404, reason: 'the user of the example has no passkey' };

const toPasskeyResponse = ({ id, name, isBackedUp, createdAt }: Passkey) => ({
  id,
  name,
  backedUp: isBackedUp,
  createdTime: createdAt.toISOString(),
});

/** The passkeys of the signed-in user. They are added in the portal only. */
@Controller('account/webauthn-credentials')
export class PasskeyController {
  constructor(private readonly passkeys: PasskeysService) {}

  @Get()
  @Operation({
    caller: 'user',
    scope: 'user:webauthn-credential:read',
    summary: "The user's passkeys",
    description:
      'The passkeys that sign the user in, with their names, oldest first, at most ten. Keys are never shown.',
  })
  @Returns(passkeyList)
  async getPasskeys(@CurrentPrincipal() principal: Principal) {
    const passkeys = await this.passkeys.list(requireSignedInUser(principal).id);
    return { items: passkeys.map(toPasskeyResponse) };
  }

  @Patch(':id')
  @Operation({
    caller: 'user',
    scope: 'user:webauthn-credential:write',
    summary: 'Rename a passkey',
    description:
      'Changes the name by which the user tells one passkey from another; signing in works as before.',
    requiresWalletLogin: true,
    errors: ['404 passkey_not_found'],
    example: EXAMPLE,
  })
  @Returns(passkey)
  async renamePasskey(
    @CurrentPrincipal() principal: Principal,
    @Param({ schema: passkeyParams }) { id }: PasskeyParams,
    @Body({ schema: passkeyChange }) { name }: PasskeyChange,
  ) {
    return toPasskeyResponse(await this.passkeys.rename(requireSignedInUser(principal).id, id, name));
  }

  @Delete(':id')
  @Operation({
    caller: 'user',
    scope: 'user:webauthn-credential:write',
    summary: 'Remove a passkey',
    description:
      'It signs nobody in any more, and the browser sessions that it signed in end at once. Other passkeys and wallets stay.',
    requiresWalletLogin: true,
    errors: ['404 passkey_not_found'],
    example: EXAMPLE,
  })
  @ReturnsNothing()
  async deletePasskey(
    @CurrentPrincipal() principal: Principal,
    @Param({ schema: passkeyParams }) { id }: PasskeyParams,
  ): Promise<void> {
    await this.passkeys.remove(requireSignedInUser(principal).id, id);
  }
}
