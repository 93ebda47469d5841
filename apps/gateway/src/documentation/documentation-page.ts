import { LOGO_SVG } from '@app/service';
import { ICON } from '../document/explorer-page.js';
import { DOCUMENT_PATH, DOCUMENTATION_PATH, EXPLORER_PATH } from '../own-paths.js';
import type { Document, DocumentGroup, Finding } from './documents.js';
import { escapeHtml, type Section } from './render-markdown.js';

/** A longer question finds nothing. */
export const MAX_QUERY_LENGTH = 100;
/** Characters of the text that a result shows. */
const EXCERPT_LENGTH = 200;
/** A page with fewer parts is a look down. */
const MIN_LISTED_SECTIONS = 3;

interface PageContent {
  readonly title: string;
  /** HTML. */
  readonly article: string;
  readonly groups: readonly DocumentGroup[];
  /** The page's own address, which the navigation marks. */
  readonly url?: string;
  readonly query?: string;
}

const renderPage = ({ title, article, groups, url, query = '' }: PageContent): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    ${ICON}
    <title>${escapeHtml(title)} · Gatehouse</title>
    <link rel="stylesheet" href="${EXPLORER_PATH}/page.css">
    <link rel="stylesheet" href="${DOCUMENTATION_PATH}/documentation.css">
  </head>
  <body>
    <a class="skip" href="#main">Skip to content</a>
    <header>
      <a class="brand" href="/">${LOGO_SVG}Gatehouse</a>
      <nav aria-label="Pages">
        <a href="${DOCUMENTATION_PATH}"${url === DOCUMENTATION_PATH ? ' aria-current="page"' : ''}>Documents</a>
        <a href="${EXPLORER_PATH}">API explorer</a>
        <a href="${DOCUMENT_PATH}">OpenAPI document</a>
        <a href="/portal">Portal</a>
      </nav>
    </header>
    <div class="columns">
      <main id="main" tabindex="-1">
        <search class="search">
          <form action="${DOCUMENTATION_PATH}/search">
            <label for="search">Search documents</label>
            <div class="row">
              <input id="search" name="q" type="search" maxlength="${MAX_QUERY_LENGTH}" autocomplete="off" value="${escapeHtml(query)}">
              <button>Search</button>
            </div>
          </form>
          <p class="to-contents"><a href="#contents">All documents</a></p>
        </search>
        <article>
${article}
        </article>
      </main>
      <nav id="contents" aria-label="All documents">
${groups.map((group) => renderGroup(group, url)).join('\n')}
      </nav>
    </div>
  </body>
</html>
`;

const renderGroup = (
  { title, documents }: DocumentGroup,
  current?: string,
): string => `        <h2>${escapeHtml(title)}</h2>
        <ul>
${documents.map(({ url, title: name }) => `          <li><a href="${url}"${url === current ? ' aria-current="page"' : ''}>${escapeHtml(name)}</a></li>`).join('\n')}
        </ul>`;

/** The page of a document, with a list of its parts below the title. */
export function renderDocumentPage(document: Document, groups: readonly DocumentGroup[]): string {
  const { title, html, sections, url } = document;
  const listed = sections.filter(({ depth }) => depth === 2);
  const contents = listed.length < MIN_LISTED_SECTIONS ? '' : renderContents(listed);
  const article = html.replace('</h1>', `</h1>${contents}`);
  return renderPage({ title, article, groups, url });
}

const renderContents = (sections: readonly Section[]): string =>
  `<nav class="parts" aria-label="On this page"><ul>${sections
    .map(({ anchor, heading }) => `<li><a href="#${anchor}">${escapeHtml(heading)}</a></li>`)
    .join('')}</ul></nav>`;

/** The page of an example program. */
export const renderExamplePage = (url: string, text: string, groups: readonly DocumentGroup[]): string => {
  const title = url.slice(url.lastIndexOf('/') + 1);
  const article = `<h1>${escapeHtml(title)}</h1>\n<pre class="scroll" tabindex="0" role="group" aria-label="Code"><code>${escapeHtml(text)}</code></pre>`;
  return renderPage({ title, article, groups, url });
};

/** The page of what a search has found. */
export function renderSearchPage(
  query: string,
  findings: readonly Finding[],
  groups: readonly DocumentGroup[],
): string {
  const count = `${findings.length === 0 ? 'No part of a document has' : `${findings.length} ${findings.length === 1 ? 'part has' : 'parts have'}`} all of these words.`;
  const results = findings.map(
    ({ url, title, heading, text }) =>
      `<li><a href="${url}">${escapeHtml(heading === title ? title : `${title}: ${heading}`)}</a><p>${escapeHtml(excerpt(text))}</p></li>`,
  );
  const article = `<h1>Search</h1>\n<p role="status">${query === '' ? 'Enter words to search for.' : count}</p>\n<ol class="results">${results.join('\n')}</ol>`;
  return renderPage({ title: `Search: ${query}`, article, groups, query });
}

const excerpt = (text: string): string =>
  text.length <= EXCERPT_LENGTH ? text : `${text.slice(0, text.lastIndexOf(' ', EXCERPT_LENGTH))} …`;

/** The list of documents for language models, as https://llmstxt.org describes it, with absolute addresses of Markdown. */
export const renderLlmsText = (
  { title, summary }: { title: string; summary: string },
  groups: readonly DocumentGroup[],
  publicUrl: string,
): string =>
  [
    `# ${title}`,
    `> ${summary}`,
    `- [OpenAPI document](${publicUrl}${DOCUMENT_PATH}): every operation, parameter and error`,
    ...groups.map(({ title: name, documents }) =>
      [
        `## ${name}`,
        '',
        ...documents.map(
          ({ title: page, markdownUrl, summary: about }) =>
            `- [${page}](${publicUrl}${markdownUrl}): ${about}`,
        ),
      ].join('\n'),
    ),
  ].join('\n\n') + '\n';
