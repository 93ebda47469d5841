import { Marked, Renderer, type Tokens } from 'marked';
import { posix } from 'node:path';

/** A part of a page that begins with a heading; the part before the first of them has the page's title. */
export interface Section {
  readonly anchor: string;
  readonly heading: string;
  readonly depth: number;
  /** Without marks, prose before code. */
  readonly text: string;
}

export interface RenderedMarkdown {
  readonly html: string;
  readonly sections: readonly Section[];
}

/** Where a link of a document leads to when the document is served; undefined: to a file that only the repository has. */
export type LinkTarget = (path: string) => string | undefined;

export const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** What stands behind the text of a link to a file that is not served. */
const IN_THE_REPOSITORY = ' (in the repository)';

/** The renderer of the library, which the one below puts into a part that scrolls. */
const { table: renderTable } = Renderer.prototype as Renderer;

/** The anchor that GitHub gives a heading, which links between documents name. */
const toAnchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

/** Markdown without its marks, on one line. */
export const toPlainText = (markdown: string): string =>
  markdown
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*]|^#+ |^[\s|]*-{3,}[-|\s]*$/gm, '')
    .replaceAll('|', ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();

/**
 * A document of this repository as HTML. Wide parts (code, tables) scroll by themselves and can be reached by keyboard; HTML in a document
 * stays text.
 * @param path of the document below `docs`, from which its links lead on
 */
export function renderMarkdown(markdown: string, path: string, targetOf: LinkTarget): RenderedMarkdown {
  const sections: Section[] = [];
  const marked = new Marked({
    gfm: true,
    renderer: {
      heading({ tokens, depth, text }) {
        const anchor = toAnchor(toPlainText(text));
        return `<h${depth} id="${anchor}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens);
        const target = resolveLink(href, path, targetOf);
        if (target === undefined) return `${text}${IN_THE_REPOSITORY}`;
        return `<a href="${escapeHtml(target)}">${text}</a>`;
      },
      code({ text, lang }) {
        const label = lang === undefined || lang === '' ? 'Code' : `Code (${lang})`;
        return `<pre class="scroll" tabindex="0" role="group" aria-label="${escapeHtml(label)}"><code>${escapeHtml(text)}</code></pre>\n`;
      },
      table(token) {
        const table: string = renderTable.call(this, token);
        return `<div class="scroll" tabindex="0" role="group" aria-label="Table">${table}</div>\n`;
      },
      html: ({ text }) => escapeHtml(text),
    },
  });
  const tokens = marked.lexer(markdown);
  let current: { heading: string; depth: number; prose: string[]; code: string[] } | undefined;
  const endSection = (): void => {
    if (current === undefined) return;
    const { heading, depth, prose, code } = current;
    sections.push({
      anchor: toAnchor(heading),
      heading,
      depth,
      text: toPlainText([...prose, ...code].join('\n')),
    });
  };
  for (const token of tokens) {
    if (token.type === 'heading') {
      endSection();
      const { text, depth } = token as Tokens.Heading;
      current = { heading: toPlainText(text), depth, prose: [], code: [] };
    } else if (token.type === 'code') current?.code.push((token as Tokens.Code).text);
    else current?.prose.push(token.raw);
  }
  endSection();
  return { html: marked.parser(tokens), sections };
}

function resolveLink(href: string, path: string, targetOf: LinkTarget): string | undefined {
  if (/^(?:https?:|#)/.test(href)) return href;
  const [file = '', anchor] = href.split('#');
  const target = targetOf(posix.join(posix.dirname(path), file));
  return target !== undefined && anchor !== undefined ? `${target}#${anchor}` : target;
}
