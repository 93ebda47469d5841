import { forbidden } from '@app/common';
import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import type { SignedInSession } from '../sessions/page-session.decorator.js';
import { PageRenderer } from '../views/page-renderer.js';
import type { CommunityViews } from '../views/community-views.js';
import { CommunityApi, type PortalCommunity } from './community-api.js';

export const administratorRequired = () =>
  forbidden('administrator_required', 'Only administrators of the community may do this.');

/** A community that the signed-in user administers. */
export type ManagedCommunity = PortalCommunity & { readonly ownerId: string };

/** Whoever runs a community reads who owns it. */
export const isRunBy = (community: PortalCommunity): community is ManagedCommunity =>
  community.ownerId !== undefined;

interface CommunityPage {
  /** What the page shows of the community, for the title of the window. */
  readonly title: string;
  readonly status?: number | undefined;
  readonly script?: string | undefined;
  readonly isWide?: true | undefined;
  /** Answers a form, so that going back to the page must work. */
  readonly isStep?: true | undefined;
}

/** Loads communities for those who run them, and renders their pages with tabs. */
@Injectable()
export class CommunityPageRenderer {
  constructor(
    private readonly api: CommunityApi,
    private readonly pages: PageRenderer,
  ) {}

  /** @throws AppError 404 where the user may not see the community, 403 where they do not run it */
  async load({ user }: SignedInSession, communityId: string): Promise<ManagedCommunity> {
    const community = await this.api.get(user, communityId);
    if (!isRunBy(community)) throw administratorRequired();
    return community;
  }

  /** Sends a page of a community, whose name is its heading. */
  send<K extends keyof CommunityViews>(
    response: Response,
    session: SignedInSession,
    name: string,
    view: K,
    data: CommunityViews[K],
    { title, status = 200, script, isWide, isStep }: CommunityPage,
  ): void {
    this.pages.send<keyof CommunityViews>(response, view, data, {
      title: `${title} · ${name}`,
      heading: name,
      section: 'communities',
      session,
      status,
      ...(script !== undefined && { script }),
      ...(isWide && { isWide }),
      ...(isStep && { isStep }),
    });
  }
}
