import { conflict, notFound } from '@app/common';
import { FormBody } from '@app/service';
import { Body, Get, Post, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { z } from 'zod';
import { PageController } from '../page-controller.decorator.js';
import { CurrentSignedInSession, type SignedInSession } from '../sessions/page-session.decorator.js';
import { PageRenderer } from '../views/page-renderer.js';
import { TestWalletConfig } from './test-wallet.config.js';
import { LocalChainClient } from './test-wallet.controller.js';
import { TokenCommunitiesService } from './token-communities.service.js';
import { toCommunityPath } from '../communities/community-tabs.js';
import { toChecksumAddress } from '@app/dto';

const PATH = 'portal/test-wallet';
const PAGE = { title: 'Test wallet', section: 'test-wallet' } as const;

const transferForm = z.strictObject({
  tokenId: z.coerce.number().int().nonnegative(),
  from: z.string().max(16),
  to: z.string().max(16),
});
type TransferForm = z.output<typeof transferForm>;

/** The badge that was sold just now: its row has no button, which a second click would hit. */
const soldQuery = z.object({ sold: z.coerce.number().int().optional().catch(undefined) });
type SoldQuery = z.output<typeof soldQuery>;

/** What the accounts of the test wallet hold, and how they sell it: a role that follows from a holding can be seen to end. */
@PageController(PATH)
export class BadgesController {
  constructor(
    private readonly config: TestWalletConfig,
    private readonly chain: LocalChainClient,
    private readonly communities: TokenCommunitiesService,
    private readonly pages: PageRenderer,
  ) {
    pages.addNavigation('Developers', { href: `/${PATH}`, section: 'test-wallet', text: 'Test wallet' });
    pages.nameAccounts(config.TEST_WALLET.accounts);
  }

  @Get()
  async list(
    @CurrentSignedInSession() session: SignedInSession,
    @Query({ schema: soldQuery }) { sold }: SoldQuery,
    @Res() response: Response,
  ): Promise<void> {
    const { accounts, badges, chainId } = this.config.TEST_WALLET;
    const names = Object.keys(accounts);
    const items = (badges?.tokenIds ?? []).map(async (tokenId) => {
      const owner = badges && (await this.chain.findOwner(badges.contractAddress, tokenId));
      const holder = names.find((name) => accounts[name]?.toLowerCase() === owner);
      const others = holder === undefined ? [] : names.filter((name) => name !== holder);
      return { tokenId, holder, others, isSold: tokenId === sold };
    });
    const rows = await Promise.all(items);
    const soldRow = rows.find(({ isSold, holder }) => isSold && holder !== undefined);
    const contractAddress = badges && toChecksumAddress(badges.contractAddress);
    const run = contractAddress === undefined ? [] : await this.communities.listRun(session.user);
    const checks =
      contractAddress === undefined || !soldRow
        ? []
        : await this.communities.listChecks(session.user, contractAddress);
    const view = {
      contractAddress,
      accounts: Object.entries(accounts).map(([name, address]) => ({
        name,
        address: toChecksumAddress(address),
      })),
      badges: rows,
      ruleCommunities: run.map(({ id, name }) => ({
        name,
        href: `${toCommunityPath(id)}/rules/new?${new URLSearchParams({ find: `eip155:${chainId}:${contractAddress ?? ''}` }).toString()}`,
      })),
      ...(soldRow && { sold: { tokenId: soldRow.tokenId, holder: soldRow.holder ?? '', checks } }),
    };
    this.pages.send(response, 'test-wallet', view, { ...PAGE, session, script: 'copy-buttons' });
  }

  @Post('transfers')
  @FormBody()
  async transfer(
    @CurrentSignedInSession() _session: SignedInSession,
    @Body({ schema: transferForm }) { tokenId, from, to }: TransferForm,
    @Res() response: Response,
  ): Promise<void> {
    const { accounts, badges } = this.config.TEST_WALLET;
    const [seller, buyer] = [accounts[from], accounts[to]];
    if (!badges?.tokenIds.includes(tokenId) || seller === undefined || buyer === undefined)
      throw badgeNotFound();
    const owner = await this.chain.findOwner(badges.contractAddress, tokenId);
    // A second click finds it sold.
    if (owner !== buyer.toLowerCase()) {
      if (owner !== seller.toLowerCase()) throw badgeSold(from);
      await this.chain.transfer(badges.contractAddress, { from: seller, to: buyer, tokenId });
    }
    response.redirect(303, `/${PATH}?sold=${tokenId}`);
  }
}

const badgeNotFound = () => notFound('badge_not_found', 'The test wallet has no such badge or account.');

const badgeSold = (from: string) =>
  conflict('badge_conflict', `This badge is not the ${from}'s any more: load the page again.`);
