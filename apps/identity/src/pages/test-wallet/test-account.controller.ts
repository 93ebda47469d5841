import { toChecksumAddress } from '@app/dto';
import { FormBody } from '@app/service';
import { Body, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { PageLoginService } from '../login/login.controller.js';
import { PageController } from '../page-controller.decorator.js';
import { CLEARED_BY_LOGOUT, HOME_PATH, returnPath } from '../sessions/login-path.js';
import { CurrentSignedInSession, type SignedInSession } from '../sessions/page-session.decorator.js';
import { TestWalletConfig } from './test-wallet.config.js';
import { accountNotFound, LocalChainClient } from './test-wallet.controller.js';

const signInForm = z.strictObject({ account: z.string().max(16), to: returnPath });
type SignInForm = z.output<typeof signInForm>;

/**
 * Ends the session and signs in with another account of the test wallet, by one form: the local chain signs the challenge that the login page
 * would show. Whoever can open the login page of a local profile can do the same there.
 */
@PageController('portal/test-wallet/sign-ins')
export class TestAccountController {
  constructor(
    private readonly config: TestWalletConfig,
    private readonly chain: LocalChainClient,
    private readonly logins: PageLoginService,
  ) {}

  @Post()
  @FormBody()
  async signIn(
    @CurrentSignedInSession() session: SignedInSession,
    @Body({ schema: signInForm }) { account, to = HOME_PATH }: SignInForm,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const { accounts, chainId } = this.config.TEST_WALLET;
    const address = Object.entries(accounts).find(([name]) => name === account)?.[1];
    if (address === undefined) throw accountNotFound();
    const accountId = `eip155:${chainId}:${toChecksumAddress(address)}`;
    const { requestId, message } = await this.logins.createChallenge({ accountId });
    const signature = await this.chain.sign(address, `0x${Buffer.from(message).toString('hex')}`);
    const signed = { requestId, accountId, signatureType: 'eip191', signature } as const;
    const { to: first } = await this.logins.completeLogin(session, signed, request, response);
    // The session before is over, as after a logout.
    response.setHeader('Clear-Site-Data', CLEARED_BY_LOGOUT);
    response.redirect(303, first === undefined ? to : `${first}?${new URLSearchParams({ to }).toString()}`);
  }
}
