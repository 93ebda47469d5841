import { Get, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { getHeader } from '@app/service';
import { MAX_MATCHES, OperatorSearchService } from '../../operators/operator-search.service.js';
import { isTypedName, type TypedName, TypedNamesService } from '../communities/typed-names.service.js';
import { PageController } from '../page-controller.decorator.js';
import { CurrentSignedInSession, type SignedInSession } from '../sessions/page-session.decorator.js';
import { PageRenderer } from '../views/page-renderer.js';
import type { SearchView } from '../views/operator-views.js';
import { OperatorSessionService } from './operator-session.service.js';

const MIN_LENGTH = 2;
const MAX_LENGTH = 128;

/** Texts of PostgreSQL hold no NUL, so that nothing has it in its name. */
const search = z.object({
  q: z
    .string()
    .trim()
    .max(MAX_LENGTH)
    .refine((text) => !text.includes('\0'))
    .catch('')
    .default(''),
});
type Search = z.output<typeof search>;

/** Browsers name the site that led to a request. */
const OWN_SITES = ['same-origin', 'none'];

/** Whether a request was made by the operator, so that a link of another site writes nothing into the audit log. */
function isOwnRequest(request: Request): boolean {
  const site = getHeader(request, 'sec-fetch-site');
  return site === undefined || OWN_SITES.includes(site);
}

const isEmpty = (found: SearchView['found']): boolean =>
  found !== undefined && found.applications.length + found.tenants.length + found.users.length === 0;

/** Search for applications, tenants and users, for operators. */
@PageController('portal/search')
export class SearchController {
  constructor(
    private readonly operators: OperatorSessionService,
    private readonly matches: OperatorSearchService,
    private readonly pages: PageRenderer,
    private readonly names: TypedNamesService,
  ) {}

  @Get()
  async show(
    @CurrentSignedInSession() session: SignedInSession,
    @Query({ schema: search }) { q }: Search,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const actor = this.operators.getActor(session.user, request.path);
    const isTooShort = q !== '' && q.length < MIN_LENGTH;
    const isAsked = q !== '' && !isTooShort && isOwnRequest(request);
    const isName = isAsked && this.names.isAvailable && isTypedName(q);
    const named = isName ? await this.names.resolve(q, session.user) : undefined;
    const found = isAsked ? await this.find(actor, q, named) : undefined;
    const view: SearchView = {
      q,
      ...(isTooShort && { problem: `This must have at least ${MIN_LENGTH} characters.` }),
      // Names of applications have dots, too, so that only a name that finds nothing is a mistake.
      ...(named && 'problem' in named && isEmpty(found) && named),
      ...(named && 'address' in named && { named }),
      ...(found && { found }),
    };
    this.pages.send(response, 'search', view, { title: 'Search', session, section: 'search' });
  }

  private async find(
    actor: Parameters<OperatorSearchService['find']>[0],
    q: string,
    named: TypedName | undefined,
  ): Promise<SearchView['found']> {
    const { applications, tenants, ...matches } = await this.matches.find(actor, q);
    const holders = named && 'address' in named ? (await this.matches.find(actor, named.address)).users : [];
    const others = matches.users.filter(({ id }) => !holders.some((holder) => holder.id === id));
    const users = [...holders, ...others];
    return {
      applications: applications.slice(0, MAX_MATCHES),
      tenants: tenants
        .slice(0, MAX_MATCHES)
        .map((tenant) => ({ ...tenant, isOfUser: tenant.userId !== null })),
      users: users.slice(0, MAX_MATCHES),
      isCut: [applications, tenants, users].some((list) => list.length > MAX_MATCHES),
    };
  }
}
