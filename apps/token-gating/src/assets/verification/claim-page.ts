import { createStaticPageHeaders } from '@app/service';
import { Eta } from 'eta';
import type { AssetVerificationResponse } from './asset-verification.dto.js';

const STYLE = `
:root { color-scheme: light dark; }
body { font: 1rem/1.6 system-ui, sans-serif; margin: 8vh auto; max-width: 44rem; padding: 0 1.5rem; overflow-wrap: anywhere; }
dt { font-weight: 600; }
dd { margin: 0 0 .75rem; }
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
      <h1><%= it.title %></h1>
      <p>The owner of this account proved control of it and made this claim. Ownership is as of now.</p>
      <dl>
        <dt>Account</dt><dd><%= it.claim.account %></dd>
        <% if (it.claim.socialId) { %><dt>Social id, as its owner states it</dt><dd><%= it.claim.socialId %></dd><% } %>
        <% for (const { asset, owner } of it.assets) { %>
        <dt><%= owner ? 'Owns' : 'No longer owns' %></dt><dd><%= asset %></dd>
        <% } %>
        <% for (const { asset, message } of it.errors ?? []) { %>
        <dt>Cannot be read</dt><dd><%= asset %>: <%= message %></dd>
        <% } %>
        <% for (const url of it.links) { %>
        <dt>Link, as the owner states it</dt><dd><a href="<%= url %>" rel="noopener noreferrer nofollow ugc"><%= url %></a></dd>
        <% } %>
        <dt>Made</dt><dd><%= it.claim.createdTime %></dd>
        <dt>Valid until</dt><dd><%= it.claim.expiresTime %></dd>
      </dl>
    </main>
  </body>
</html>
`;

const NOT_FOUND_PAGE = `${HEAD}
  <body>
    <main>
      <h1><%= it.title %></h1>
      <p>It does not exist, expired, or was revoked by its owner.</p>
    </main>
  </body>
</html>
`;

const eta = new Eta({ autoEscape: true });
const claimTemplate = eta.compile(CLAIM_TEMPLATE);
const notFoundTemplate = eta.compile(NOT_FOUND_PAGE);

/** A self-contained page. Texts and links of the owner are escaped; nothing is loaded from them. */
export function renderClaimPage(result: AssetVerificationResponse): string {
  const { openseaUrl, mediaUrl } = result.claim;
  const links = [openseaUrl, mediaUrl].filter((url) => url?.startsWith('https://'));
  return eta.render(claimTemplate, { ...result, links, title: 'Asset claim' });
}

export const renderUnknownClaimPage = (): string =>
  eta.render(notFoundTemplate, { title: 'This claim is not valid' });

export const CLAIM_PAGE_HEADERS = createStaticPageHeaders(STYLE);
