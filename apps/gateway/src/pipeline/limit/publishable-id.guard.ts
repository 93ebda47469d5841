import { forbidden } from '@app/common';
import type { Scope } from '@app/dto';
import { RateLimit } from '@app/limits';
import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { getRequestContext } from '../../request-context.js';
import { addressLimitExceeded, getAddressBucket } from '../admit/address-rate-limiter.js';
import { getAuthorization } from '../authenticate/credential-headers.js';
import { PipelineGuard } from '../pipeline-guard.js';
import { setRateLimitHeaders } from './rate-limit-response.js';

/** Requests a second of one address with the publishable ids of one tenant. */
const MAX_PUBLISHABLE_PER_ADDRESS = 5;

/** What an application must have, so that its publishable ids work. */
const SCOPE: Scope = 'token-gating';

/**
 * Requests with publishable ids, which anybody can read in a page (docs/adr/0121-publishable-ids.md). Any other request passes after one
 * comparison. The address is counted first, so that also refused requests of one address are bounded; a request that is refused here counts
 * towards no tenant. An address is counted for each tenant apart: the page of one tenant uses up nothing of a browser's requests to another.
 * The counters are 50,000 pairs of address and tenant, those that are silent longest forgotten first.
 */
@Injectable()
export class PublishableIdGuard extends PipelineGuard {
  private readonly addresses = new RateLimit();

  check(request: Request, response: Response): true {
    const { caller, operation } = getRequestContext(request);
    if (caller?.origins === undefined) return true;
    const { client, origins } = caller;
    const bucket = `${client?.ownerId ?? ''} ${getAddressBucket(request)}`;
    const address = this.addresses.take(bucket, MAX_PUBLISHABLE_PER_ADDRESS);
    setRateLimitHeaders(response, { address });
    if (!address.admitted) throw addressLimitExceeded(address);
    if (!operation?.allowsPublishableId || getAuthorization(request) !== undefined)
      throw publishableIdForbidden();
    if (!origins.has(request.headers.origin ?? '')) throw originNotAllowed();
    if (!client?.scopes.includes(SCOPE)) throw scopeNotApproved();
    return true;
  }
}

const publishableIdForbidden = () =>
  forbidden(
    'publishable_id_forbidden',
    'A publishable id is for checks of published rules, the chains and the rule types, without a token. Call other operations from a server, with an API key.',
  );

/** The same error for an absent origin, `null` and one that is not in the list. */
const originNotAllowed = () =>
  forbidden(
    'origin_not_allowed',
    'The Origin of this request is not in the list of this publishable id. Origins are compared byte for byte.',
  );

const scopeNotApproved = () =>
  forbidden('scope_required', `The scope ${SCOPE} is not approved for this client application.`, {
    scope: SCOPE,
  });
