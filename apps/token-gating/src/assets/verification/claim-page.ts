import { createStaticPageHeaders } from '@app/service';
import { Eta } from 'eta';
import type { AssetVerificationResponse } from './asset-verification.dto.js';
import { type AssetDetails, ClaimDetailsService } from './claim-details.service.js';
import { AppError } from '@app/common';
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Request, Response } from 'express';
import { catchError, mergeMap, type Observable, of } from 'rxjs';
import { AssetClaimConfig } from './asset-claim.config.js';

const STYLE = `
:root {
  color-scheme: light dark; --line: #d5dae1; --muted: #57606a; --card: #fff; --ground: #f5f7f9;
  --good: #116329; --bad: #a40e26; --unknown: #7a4b00; --link: #0550ae;
}
@media (prefers-color-scheme: dark) {
  :root {
    --line: #39424e; --muted: #a5b0bd; --card: #1a2027; --ground: #12161b; --good: #7ee2a8; --bad: #ff9aa5; --unknown: #f2c46d; --link: #8ec2ff;
  }
}
* { box-sizing: border-box; }
body { background: var(--ground); font: 1rem/1.55 system-ui, sans-serif; margin: 0; overflow-wrap: anywhere; }
main { margin: 6vh auto; max-width: 40rem; padding: 0 1rem 3rem; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 1rem; }
h2 { font-size: 1rem; margin: 0; }
a { color: var(--link); }
a:focus-visible, summary:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.service, .muted { color: var(--muted); }
.service { margin: 0 0 .5rem; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .75rem; margin: 0 0 1rem; padding: 1rem 1.25rem; }
.state { border-left: .35rem solid; font-weight: 600; }
.state span { display: block; font-weight: 400; }
.good { color: var(--good); } .bad { color: var(--bad); } .unknown { color: var(--unknown); }
ul { list-style: none; margin: 0; padding: 0; }
li { align-items: center; border-top: 1px solid var(--line); display: flex; gap: 1rem; padding: .75rem 0; }
li:first-child { border-top: 0; }
li div { flex: 1; min-width: 0; }
li p { margin: 0; }
.tile { align-items: center; background: var(--ground); border: 1px solid var(--line); border-radius: .6rem; display: flex;
  flex: none; font-weight: 700; height: 3rem; justify-content: center; width: 3rem; }
dl { margin: 0; } dt { color: var(--muted); font-size: .9rem; } dd { margin: 0 0 .75rem; } dd:last-child { margin-bottom: 0; }
details ul { margin-top: .5rem; } code { font-size: .85rem; }
`;

const HEAD = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="robots" content="noindex">
    <meta name="referrer" content="no-referrer">
    <title><%= it.title %> · Gatehouse</title>
    <link rel="icon" href="data:,">
    <style>${STYLE}</style>
  </head>`;

const CLAIM_TEMPLATE = `${HEAD}
  <body>
    <main>
      <p class="service">Gatehouse · asset claim</p>
      <h1><%= it.title %></h1>
      <p class="card state <%= it.state.tone %>"><%= it.state.text %><span><%= it.state.explanation %></span></p>
      <ul class="card" aria-label="Assets">
        <% for (const asset of it.assets) { %>
        <li>
          <span class="tile" aria-hidden="true"><%= asset.initial %></span>
          <div>
            <h2><% if (asset.amount) { %><%= asset.amount %> <% } %><%= asset.name %></h2>
            <p class="muted">on <%= asset.chain %></p>
            <p class="<%= asset.tone %>"><%= asset.text %></p>
          </div>
        </li>
        <% } %>
      </ul>
      <dl class="card">
        <% if (it.claim.name) { %><dt>Name, as the owner states it; not checked</dt><dd><bdi><%= it.claim.name %></bdi></dd><% } %>
        <dt>Account</dt><dd><%= it.claim.account.split(':').at(-1) %></dd>
        <dt>Who vouches for it</dt>
        <dd><%= it.host %>: the owner of this account proved control of it by a signature, and the chain was asked when you opened this page.</dd>
        <dt>Claimed since</dt><dd><%= it.created %></dd>
        <dt>The claim ends</dt><dd><%= it.expires %>, or earlier if its owner revokes it</dd>
        <dt>Checked</dt><dd><%= it.checked %></dd>
      </dl>
      <% if (it.claim.socialId || it.links.length > 0) { %>
      <dl class="card">
        <% if (it.claim.socialId) { %><dt>Social id, as the owner states it; not checked</dt><dd><%= it.claim.socialId %></dd><% } %>
        <% for (const url of it.links) { %>
        <dt>Link, as the owner states it; not checked</dt><dd><a href="<%= url %>" rel="noopener noreferrer nofollow ugc"><%= url %></a></dd>
        <% } %>
      </dl>
      <% } %>
      <details class="card">
        <summary>Ids for programs</summary>
        <ul>
          <li><code><%= it.claim.account %></code></li>
          <% for (const { asset } of it.assets) { %><li><code><%= asset %></code></li><% } %>
        </ul>
      </details>
    </main>
  </body>
</html>
`;

const PROBLEM_PAGE = `${HEAD}
  <body>
    <main>
      <p class="service">Gatehouse · asset claim</p>
      <h1><%= it.title %></h1>
      <p class="card"><%= it.text %></p>
    </main>
  </body>
</html>
`;

const eta = new Eta({ autoEscape: true });
const claimTemplate = eta.compile(CLAIM_TEMPLATE);
const problemTemplate = eta.compile(PROBLEM_PAGE);

type Tone = 'good' | 'bad' | 'unknown';

interface ClaimPage {
  readonly result: AssetVerificationResponse;
  readonly details: readonly AssetDetails[];
  /** The host of the service. */
  readonly host: string;
  readonly checkedAt: Date;
}

/** A self-contained page. Texts and links of the owner are escaped; nothing is loaded from them. */
function renderClaimPage({ result, details, host, checkedAt }: ClaimPage): string {
  const { claim } = result;
  const owned = new Map(result.assets.map(({ asset, owner }) => [asset, owner]));
  const assets = details.map((asset) => ({
    ...describeState(owned.get(asset.asset)),
    ...asset,
    // An amount is read later than who owns it: it is left out where the two would contradict each other.
    amount: owned.get(asset.asset) === true ? asset.amount : undefined,
    initial: Array.from(asset.name)[0]?.toUpperCase() ?? '?',
  }));
  const links = [claim.openseaUrl, claim.mediaUrl].filter((url) => url?.startsWith('https://'));
  return eta.render(claimTemplate, {
    ...{ assets, claim, links, host },
    title: 'What this account holds',
    state: summarise(assets.map(({ tone }) => tone)),
    created: formatTime(new Date(claim.createdTime)),
    expires: formatTime(new Date(claim.expiresTime)),
    checked: formatTime(checkedAt),
  });
}

function describeState(isOwned: boolean | undefined): { tone: Tone; text: string } {
  if (isOwned === undefined) return { tone: 'unknown', text: 'Could not be checked now' };
  return isOwned ? { tone: 'good', text: 'Held now' } : { tone: 'bad', text: 'No longer held' };
}

function summarise(tones: readonly Tone[]): { tone: Tone; text: string; explanation: string } {
  if (tones.includes('unknown'))
    return {
      tone: 'unknown',
      text: 'Not all of it could be checked',
      explanation: 'A chain or a contract did not answer. Load this page again in a few seconds.',
    };
  if (!tones.includes('bad'))
    return {
      tone: 'good',
      text: 'Valid now',
      explanation: 'The account holds everything that is listed here.',
    };
  const isPartly = tones.includes('good');
  return {
    tone: 'bad',
    text: isPartly ? 'Only partly true now' : 'No longer true',
    explanation: isPartly
      ? 'The account does not hold everything any more that it held when the claim was made.'
      : 'The account held this when the claim was made, and does not hold it now.',
  };
}

/** Formats a time as `20 November 2026 at 16:05 UTC`. */
const formatTime = (date: Date): string =>
  `${date.toLocaleString('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })} UTC`;

const renderUnknownClaimPage = (): string =>
  eta.render(problemTemplate, {
    title: 'This claim is not valid',
    text: 'It does not exist, has expired, or was revoked by its owner. Ask whoever gave you the link for a new one.',
  });

export const renderUnavailableClaimPage = (): string =>
  eta.render(problemTemplate, {
    title: 'This claim cannot be checked at the moment',
    text: 'A chain or a part of this service does not answer. That says nothing about the claim: load this page again in a few seconds.',
  });

const CLAIM_PAGE_HEADERS = createStaticPageHeaders(STYLE);

/** Headers of a page that anybody with its URL sees, so it must not reach caches, other sites or search engines. */
const PRIVATE_HEADERS = {
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Robots-Tag': 'noindex',
};

/** The pages of statuses that people see. */
const PROBLEM_PAGES: Readonly<Record<number, () => string>> = {
  404: renderUnknownClaimPage,
  503: renderUnavailableClaimPage,
};

/** Renders a verified claim, and one that is not valid or cannot be checked, as a page for clients that prefer HTML. */
@Injectable()
export class ClaimPageInterceptor implements NestInterceptor<AssetVerificationResponse, unknown> {
  private readonly host: string;

  constructor(
    private readonly details: ClaimDetailsService,
    { PUBLIC_URL }: AssetClaimConfig,
  ) {
    this.host = new URL(PUBLIC_URL).host;
  }

  intercept(context: ExecutionContext, next: CallHandler<AssetVerificationResponse>): Observable<unknown> {
    const http = context.switchToHttp();
    const response = http.getResponse<Response>();
    response.set(PRIVATE_HEADERS).vary('Accept');
    if (http.getRequest<Request>().accepts(['json', 'html']) !== 'html') return next.handle();
    return next.handle().pipe(
      mergeMap(async (result) => {
        const details = await this.details.load(result.claim);
        response.set(CLAIM_PAGE_HEADERS).type('html');
        return renderClaimPage({ result, details, host: this.host, checkedAt: new Date() });
      }),
      catchError((error: unknown) => {
        const renderProblem = error instanceof AppError ? PROBLEM_PAGES[error.statusCode] : undefined;
        if (!renderProblem || !(error instanceof AppError)) throw error;
        const { retryAfter } = error.details;
        if (typeof retryAfter === 'number') response.set('Retry-After', String(retryAfter));
        response.set(CLAIM_PAGE_HEADERS).status(error.statusCode).type('html');
        return of(renderProblem());
      }),
    );
  }
}
