import MiniSearch from 'minisearch';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DOCUMENTATION_PATH } from '../own-paths.js';
import { renderMarkdown, type Section, toPlainText } from './render-markdown.js';

/** `docs` of the repository, which the build copies beside the apps; without decision records. */
const FOLDER = join(import.meta.dirname, '../../../../docs');
const SUBFOLDERS = ['', 'guides', 'examples'];
/** The list of documents in the order of what readers want. */
const INDEX = 'README.md';

export interface Document {
  /** `/docs/guides/checks`. */
  readonly url: string;
  /** `/docs/guides/checks.md`. */
  readonly markdownUrl: string;
  readonly title: string;
  /** The first paragraph. */
  readonly summary: string;
  readonly markdown: string;
  readonly html: string;
  readonly sections: readonly Section[];
}

/** Documents under what a reader wants to do. */
export interface DocumentGroup {
  readonly title: string;
  readonly documents: readonly Document[];
}

/** A part of a document that a search has found. */
export interface Finding {
  readonly url: string;
  readonly title: string;
  readonly heading: string;
  readonly text: string;
}

export interface Documents {
  readonly index: Document;
  readonly groups: readonly DocumentGroup[];
  readonly all: readonly Document[];
  /** Programs that documents refer to, by address. */
  readonly examples: ReadonlyMap<string, string>;
  /** The parts that fit the words best, at most `limit`. A word may be cut short or misspelt. */
  search(words: string, limit: number): readonly Finding[];
}

/** Reads and renders all documents: some 40 files, a quarter of a second. */
export function readDocuments(): Documents {
  const files = SUBFOLDERS.flatMap((folder) =>
    readdirSync(join(FOLDER, folder), { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => (folder === '' ? name : `${folder}/${name}`)),
  );
  const urls = new Map(files.map((file) => [file, toUrl(file)]));
  const targetOf = (path: string): string | undefined => urls.get(path);
  const read = (file: string): string => readFileSync(join(FOLDER, file), 'utf8');
  const pages = new Map(
    files
      .filter((file) => file.endsWith('.md'))
      .map((file) => [file, toDocument(read(file), file, targetOf)] as const),
  );
  const index = pages.get(INDEX);
  if (index === undefined) throw new Error(`${join(FOLDER, INDEX)} is missing`);
  const all = [...pages.values()];
  const groups = readGroups(index.markdown, pages);
  const examples = new Map(
    files.filter((file) => !file.endsWith('.md')).map((file) => [toUrl(file), read(file)] as const),
  );
  return { index, groups, all, examples, search: createSearch(all) };
}

function toUrl(file: string): string {
  if (file === INDEX) return DOCUMENTATION_PATH;
  return `${DOCUMENTATION_PATH}/${file.replace(/\.md$/, '')}`;
}

function toDocument(
  markdown: string,
  file: string,
  targetOf: (path: string) => string | undefined,
): Document {
  const { html, sections } = renderMarkdown(markdown, file, targetOf);
  const [first] = sections;
  const [, paragraph = ''] = /^# .+\n\n([\s\S]+?)\n\n/.exec(`${markdown}\n\n`) ?? [];
  return {
    url: toUrl(file),
    markdownUrl: `${DOCUMENTATION_PATH}/${file}`,
    title: first?.heading ?? file,
    summary: toPlainText(paragraph),
    markdown,
    html,
    sections,
  };
}

/** Each entry `- **what a reader wants**: [links](…)` of the index is a group. */
const readGroups = (index: string, pages: ReadonlyMap<string, Document>): DocumentGroup[] =>
  [...index.matchAll(/^- \*\*(.+?)\*\*:([\s\S]*?)(?=^- |(?![\s\S]))/gm)].map(
    ([, title = '', links = '']) => ({
      title: `${title.charAt(0).toUpperCase()}${title.slice(1)}`,
      documents: [...links.matchAll(/\]\(([^)#]+)\)/g)].flatMap(([, file = '']) => pages.get(file) ?? []),
    }),
  );

/** Headings say more about a part than its text, and the title of its document something in between. */
const BOOST = { heading: 4, title: 2 };

function createSearch(documents: readonly Document[]): Documents['search'] {
  const index = new MiniSearch<Finding & { id: number }>({
    fields: ['heading', 'title', 'text'],
    storeFields: ['url', 'title', 'heading', 'text'],
    searchOptions: { boost: BOOST, prefix: true, fuzzy: 0.2, combineWith: 'AND' },
  });
  const parts = documents.flatMap(({ url, title, sections }) =>
    sections.map(({ anchor, heading, text }, at) => ({
      url: at === 0 ? url : `${url}#${anchor}`,
      title,
      heading,
      text,
    })),
  );
  index.addAll(parts.map((part, id) => ({ id, ...part })));
  return (words, limit) =>
    index
      .search(words)
      .slice(0, limit)
      .flatMap(({ id }) => parts[Number(id)] ?? []);
}
