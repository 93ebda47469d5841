import { Eta } from 'eta';
import { createStaticPageHeaders } from './static-page-headers.js';

/** The logo. The file of identity's pages is the same (static-page.spec.ts). */
export const LOGO_SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#2447c5"/><path fill="#fff" d="M6 8h4v3h3.5V8h5v3H22V8h4v18h-6v-5a4 4 0 0 0-8 0v5H6z"/></svg>';

/** The frame of identity's pages, without what only they need. The colors are those of frame.css (static-page.spec.ts). */
export const STATIC_PAGE_STYLE = `
:root {
  color-scheme: light dark;
  --paper: #fbfbfa;
  --ink: #1d2129;
  --soft: #5a6372;
  --accent: #2447c5;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14161b;
    --ink: #e8eaee;
    --soft: #a2abba;
    --accent: #9db2ff;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.55 system-ui, sans-serif; overflow-wrap: break-word; }
header, main { max-width: 30rem; margin-inline: auto; padding-inline: 1.25rem; }
header { display: flex; align-items: center; min-height: 4rem; padding-block: 0.75rem; }
.brand { display: flex; align-items: center; gap: 0.5rem; color: inherit; font-weight: 700; text-decoration: none; }
.brand svg { width: 1.75rem; height: 1.75rem; }
main { padding-bottom: 4rem; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 1.5rem 0 0.75rem; }
p { margin: 0 0 1rem; }
ul { margin: 0 0 1rem; padding-left: 1.1rem; }
a { color: var(--accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.lead, .hint { color: var(--soft); }
.hint { font-size: 0.9rem; }
code { font-family: ui-monospace, monospace; font-size: 0.9em; }
`;

const TEMPLATE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta name="robots" content="noindex">
    <title><%= it.title %> · Gatehouse</title>
    <link rel="icon" href="data:image/svg+xml,${encodeURIComponent(LOGO_SVG)}">
    <style>${STATIC_PAGE_STYLE}</style>
  </head>
  <body>
    <header><% if (it.links.length > 0) { %><a class="brand" href="/">${LOGO_SVG}Gatehouse</a><% } else { %><span class="brand">${LOGO_SVG}Gatehouse</span><% } %></header>
    <main>
      <h1><%= it.title %></h1>
      <p class="lead"><%= it.message %></p>
      <% for (const line of it.advice) { %>
      <p><%= line %></p>
      <% } %>
      <% if (it.links.length > 0) { %>
      <ul>
        <% for (const { href, text } of it.links) { %>
        <li><a href="<%= href %>"><%= text %></a></li>
        <% } %>
      </ul>
      <% } %>
      <% for (const { text, value } of it.details) { %>
      <p class="hint"><%= text %> <code><%= value %></code></p>
      <% } %>
    </main>
  </body>
</html>
`;

interface StaticPage {
  readonly title: string;
  /** What happened. */
  readonly message: string;
  /** Paragraphs that say what a person can do now. */
  readonly advice?: readonly string[];
  /** Pages of this site that certainly answer. */
  readonly links?: readonly { readonly href: string; readonly text: string }[];
  /** What support or developers need. */
  readonly details?: readonly { readonly text: string; readonly value: string }[];
}

const eta = new Eta({ autoEscape: true });
const template = eta.compile(TEMPLATE);

/** Renders a page in the frame of identity's pages that loads nothing, so that it can be shown when nothing else answers. */
export const renderStaticPage = ({ advice = [], links = [], details = [], ...page }: StaticPage): string =>
  eta.render(template, { advice, links, details, ...page });

/** The headers of every page of `renderStaticPage`. */
export const STATIC_PAGE_HEADERS = {
  ...createStaticPageHeaders(STATIC_PAGE_STYLE),
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
} as const;

/** A sentence about when a request may succeed. @param seconds from an error's `retryAfter` */
export function describeWait(seconds: number): string {
  if (seconds <= 1) return 'a second';
  if (seconds < 100) return `${seconds} seconds`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 100 ? `${minutes} minutes` : `${Math.ceil(minutes / 60)} hours`;
}
