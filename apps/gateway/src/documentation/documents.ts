import MiniSearch from 'minisearch';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
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

/** Reads and renders all documents, one in each turn of the event loop: some 40 files, together a quarter of a second. */
export async function readDocuments(): Promise<Documents> {
  const files = SUBFOLDERS.flatMap((folder) =>
    readdirSync(join(FOLDER, folder), { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => (folder === '' ? name : `${folder}/${name}`)),
  );
  const urls = new Map(files.map((file) => [file, toUrl(file)]));
  const targetOf = (path: string): string | undefined => urls.get(path);
  const read = (file: string): string => readFileSync(join(FOLDER, file), 'utf8');
  const pages = new Map<string, Document>();
  for (const file of files.filter((name) => name.endsWith('.md'))) {
    pages.set(file, toDocument(read(file), file, targetOf));
    await setImmediate();
  }
  const index = pages.get(INDEX);
  if (index === undefined) throw new Error(`${join(FOLDER, INDEX)} is missing`);
  const all = [...pages.values()];
  const groups = readGroups(index.markdown, pages);
  const examples = new Map(
    files.filter((file) => !file.endsWith('.md')).map((file) => [toUrl(file), read(file)] as const),
  );
  return { index, groups, all, examples, search: await createSearch(all) };
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

/** Further words of a question are left out: each is looked up in all terms, in the process that carries every request. */
const MAX_WORDS = 5;
const MAX_WORD_LENGTH = 30;
/** Shorter words begin or resemble too many terms to say anything. */
const MIN_PREFIX_LENGTH = 3;
const MIN_FUZZY_LENGTH = 5;

async function createSearch(documents: readonly Document[]): Promise<Documents['search']> {
  const index = new MiniSearch<Finding & { id: number }>({
    fields: ['heading', 'title', 'text'],
    storeFields: ['url', 'title', 'heading', 'text'],
    searchOptions: {
      boost: BOOST,
      prefix: ({ length }) => length >= MIN_PREFIX_LENGTH,
      fuzzy: ({ length }) => (length >= MIN_FUZZY_LENGTH ? 1 : false),
      combineWith: 'AND',
    },
  });
  const parts = documents.flatMap(({ url, title, sections }) =>
    sections.map(({ anchor, heading, text }, at) => ({
      url: at === 0 ? url : `${url}#${anchor}`,
      title,
      heading,
      text,
    })),
  );
  await index.addAllAsync(
    parts.map((part, id) => ({ id, ...part })),
    { chunkSize: 20 },
  );
  return (question, limit) =>
    index
      .search(toWords(question).join(' '))
      .slice(0, limit)
      .flatMap(({ id }) => parts[Number(id)] ?? []);
}

/** The words of a question that are looked up: each once, without those that are a single letter. */
function toWords(question: string): string[] {
  const words = question
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(({ length }) => length > 1)
    .map((word) => word.slice(0, MAX_WORD_LENGTH));
  return [...new Set(words)].slice(0, MAX_WORDS);
}
