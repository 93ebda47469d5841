import { createStaticPageHeaders } from '@app/service';
import { Eta } from 'eta';

export interface ErrorPage {
  title: string;
  message: string;
  requestId: string;
  /** Seconds until a retry may succeed. */
  retryAfter?: number;
}

const STYLE = `
:root { color-scheme: light dark; }
body { font: 1rem/1.6 system-ui, sans-serif; margin: 15vh auto; max-width: 34rem; padding: 0 1.5rem; }
`;

const TEMPLATE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="robots" content="noindex">
    <title><%= it.title %> · Gatehouse</title>
    <link rel="icon" href="data:,">
    <style>${STYLE}</style>
  </head>
  <body>
    <main>
      <h1><%= it.title %></h1>
      <p><%= it.message %></p>
      <% if (it.retryAfter !== undefined) { %>
      <p>Reload this page in <%= it.retryAfter %> seconds.</p>
      <% } %>
      <p>If you contact support, include the request id <code><%= it.requestId %></code>.</p>
    </main>
  </body>
</html>
`;

const eta = new Eta({ autoEscape: true });
const template = eta.compile(TEMPLATE);

/** Renders a self-contained page for requests that identity could not answer. */
export const renderErrorPage = (page: ErrorPage): string => eta.render(template, page);

export const ERROR_PAGE_HEADERS = {
  ...createStaticPageHeaders(STYLE),
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
} as const;
