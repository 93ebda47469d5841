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
import { TokenCommunitiesService, type UserCommunities } from './token-communities.service.js';
import { toCommunityPath, toMembershipPath } from '../communities/community-tabs.js';
import { toChecksumAddress } from '@app/dto';

const PATH = 'portal/test-wallet';
const PAGE = { title: 'Test wallet', section: 'test-wallet' } as const;

/** The community from whose page the user came. */
const community = z
  .string()
  .regex(/^[\w-]{1,64}$/)
  .optional()
  .catch(undefined);

const transferForm = z.strictObject({
  tokenId: z.coerce.number().int().nonnegative(),
  from: z.string().max(16),
  to: z.string().max(16),
  community,
});
type TransferForm = z.output<typeof transferForm>;

/** The badge that was sold just now: its row has no button, which a second click would hit. */
const walletQuery = z.object({ sold: z.coerce.number().int().optional().catch(undefined), community });
type WalletQuery = z.output<typeof walletQuery>;

interface PageState {
  readonly sold?: number;
  readonly originId: string | undefined;
}

/** The path of the page. */
function toPath({ sold, originId }: PageState): string {
  const query = new URLSearchParams({
    ...(sold !== undefined && { sold: String(sold) }),
    ...(originId !== undefined && { community: originId }),
  });
  return query.size === 0 ? `/${PATH}` : `/${PATH}?${query.toString()}`;
}

const NO_COMMUNITIES: UserCommunities = { run: [], joined: [] };

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
    @Query({ schema: walletQuery }) { sold, community: originId }: WalletQuery,
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
    const found = contractAddress === undefined ? NO_COMMUNITIES : await this.communities.list(session.user);
    const { run, joined } = found ?? NO_COMMUNITIES;
    const checks =
      contractAddress === undefined
        ? []
        : await this.communities.listChecks(session.user, { run, joined }, contractAddress, originId);
    const origin = joined.find(({ id }) => id === originId);
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
      checks,
      isAway: found === undefined,
      path: toPath({ originId }),
      ...(origin && {
        origin: {
          ...{ ...origin, href: toMembershipPath(origin.id) },
          asksForBadges: checks.some(({ id }) => id === origin.id),
        },
      }),
      ...(soldRow && { sold: { tokenId: soldRow.tokenId, holder: soldRow.holder ?? '' } }),
    };
    this.pages.send(response, 'test-wallet', view, { ...PAGE, session, script: 'copy-buttons' });
  }

  @Post('transfers')
  @FormBody()
  async transfer(
    @CurrentSignedInSession() _session: SignedInSession,
    @Body({ schema: transferForm }) { tokenId, from, to, community: originId }: TransferForm,
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
    response.redirect(303, toPath({ sold: tokenId, originId }));
  }
}

const badgeNotFound = () => notFound('badge_not_found', 'The test wallet has no such badge or account.');

const badgeSold = (from: string) =>
  conflict('badge_conflict', `This badge is not the ${from}'s any more: load the page again.`);
