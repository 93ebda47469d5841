import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { root } from '../../scripts/build/project.mjs';
import { listFiles, read } from '../support/project-files.js';

const withoutCode = (text: string): string =>
  text.replaceAll(/^```[\s\S]*?^```/gm, '').replaceAll(/`[^`\n]*`/g, '');

const getHeadings = (page: string): string[] =>
  [
    ...read(page)
      .replaceAll(/^```[\s\S]*?^```/gm, '')
      .matchAll(/^#+ (.+)$/gm),
  ].map(([, heading = '']) => heading);

/** The anchor that GitHub gives a heading. */
const toAnchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

/** Files in which people write names of others: source, pages, manifests, scripts. Licences quote names of packages. */
const listFilesWithNames = (): string[] =>
  [
    ...listFiles(['.ts', '.mts', '.mjs', '.js', '.css', '.eta', '.sol', '.md', '.yaml', '.env', '.json', '']),
    '.ci/run',
    '.oxlintrc.json',
  ].filter((file) => !['package-lock.json', 'docs/licences.md'].includes(file));

/** A document by name or path, with the anchor if there is one; not a part of a URL or of a template. */
const NAMED_DOCUMENT = /(?<![\w./:%@-])((?:[\w.-]+\/)*\w[\w.-]*\.md)\b(?:#([\w-]+))?/g;
/** Comments and pages name documents as seen from their own folder, the root or one of these. */
const FOLDERS_OF_DOCUMENTS = ['', 'docs', 'docs/guides', 'docs/adr'];

const NAMED_FILE =
  /(?<![\w./:%@-])(?:apps|bench|contracts|docker|docs|k8s|libs|scripts|test)\/[\w./-]*\.(?:css|env|eta|json|mjs|mts|sol|ts|yaml)\b/g;
/** Paths that are not of this project, and the file that a guide tells the reader to write. */
const FILES_OF_OTHERS = [
  'contracts/Safe.sol/Safe.json',
  'contracts/proxies/SafeProxyFactory.sol/SafeProxyFactory.json',
  'libs/queues/src/definitions/shop-events.queue.ts',
];

/** "contract.md section 4", "contract.md sections 4 and 6", "spec.md 2.3", also across the line break of a comment. */
const CITATION =
  /\b(contract|spec)\.md[\s*#/]+(?:sections?[\s*#/]+)?(\d+(?:\.\d+)?)(?:[\s*#/]+and[\s*#/]+(?!(?:contract|spec)\.md)(\d+(?:\.\d+)?))?/g;

describe('references', () => {
  it.each(['contract', 'spec'])(
    'references of source comments to docs/%s.md: name an existing section',
    (page) => {
      const sections = new Set(
        getHeadings(`docs/${page}.md`).flatMap((heading) => /^\d+(\.\d+)?/.exec(heading)?.[0] ?? []),
      );
      const cited = listFilesWithNames().flatMap((file) =>
        [...read(file).matchAll(CITATION)]
          .filter(([, name]) => name === page)
          .flatMap(([, , first, second]) => [first, second])
          .filter((section) => section !== undefined)
          .map((section) => ({ file, section })),
      );
      expect(cited.length).toBeGreaterThan(10);
      expect(cited.filter(({ section }) => !sections.has(section))).toEqual([]);
    },
  );

  it('documents: whatever a comment, page, test or script names exists, with the heading of its anchor', () => {
    const named = listFilesWithNames().flatMap((file) =>
      [...read(file).matchAll(NAMED_DOCUMENT)].map(([, name = '', anchor]) => ({ file, name, anchor })),
    );
    const isMissing = ({ file, name, anchor }: (typeof named)[number]): boolean => {
      const page = [dirname(file), ...FOLDERS_OF_DOCUMENTS]
        .map((folder) => join(folder, name))
        .find((path) => existsSync(join(root, path)));
      if (page === undefined) return true;
      return anchor !== undefined && !getHeadings(page).some((heading) => toAnchor(heading) === anchor);
    };
    expect(named.length).toBeGreaterThan(400);
    expect(named.filter(isMissing)).toEqual([]);
  });

  it('decision records: each number that a comment or page cites has its page', () => {
    const numbers = new Set(readdirSync(join(root, 'docs/adr')).map((name) => Number.parseInt(name, 10)));
    const cited = listFilesWithNames().flatMap((file) =>
      [...read(file).matchAll(/\bADRs? (\d+)(?:(?:, | and )(\d+))*/g)].flatMap(([text]) =>
        [...text.matchAll(/\d+/g)].map(([number]) => ({ file, number: Number(number) })),
      ),
    );
    expect(cited.length).toBeGreaterThan(30);
    expect(cited.filter(({ number }) => !numbers.has(number))).toEqual([]);
  });

  it('source files: each path that a page, comment or script names exists', () => {
    const named = listFilesWithNames().flatMap((file) =>
      [...read(file).matchAll(NAMED_FILE)].map(([path]) => ({ file, path })),
    );
    expect(named.length).toBeGreaterThan(100);
    expect(
      named.filter(({ path }) => !FILES_OF_OTHERS.includes(path) && !existsSync(join(root, path))),
    ).toEqual([]);
  });

  it('references of README, CONTRIBUTING and docs: lead to existing files and headings', () => {
    const pages = listFiles(['.md']);
    const links = pages.flatMap((page) =>
      [...withoutCode(read(page)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => ({ page, target })),
    );
    const isBroken = ({ page, target }: { page: string; target: string }): boolean => {
      if (/^[a-z]+:/.test(target)) return false;
      const [path = '', anchor] = target.split('#');
      const file = path === '' ? page : relative(root, join(root, dirname(page), path));
      if (!existsSync(join(root, file))) return true;
      return anchor !== undefined && !getHeadings(file).some((heading) => toAnchor(heading) === anchor);
    };
    expect(links.length).toBeGreaterThan(30);
    expect(links.filter(isBroken)).toEqual([]);
  });

  it('docs/operations.md: names every metric, and only metrics that exist', () => {
    const source = [...listFiles(['.ts'], 'apps'), ...listFiles(['.ts'], 'libs')].map(read).join('\n');
    const defined = [...source.matchAll(/\bname: '([a-z]+(?:_[a-z]+)+)',\s+help:/g)].map(([, name]) => name);
    const [, metrics = ''] = read('docs/operations.md').split('\n## Metrics\n');
    const documented = [...metrics.matchAll(/^\| `([a-z_]+)`/gm)].map(([, name]) => name);
    expect(defined.length).toBeGreaterThan(20);
    expect(documented.toSorted()).toEqual(defined.toSorted());
  });

  it('docs/README.md: lists the documents as README does, and every guide', () => {
    const listIn = (page: string): string => /^You want to\n\n((?:[- ].*\n)+)/m.exec(read(page))?.[1] ?? '';
    const list = listIn('README.md')
      .replaceAll('](docs/', '](')
      .replaceAll('](CONTRIBUTING', '](../CONTRIBUTING');
    const words = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
    expect(words(listIn('docs/README.md'))).toBe(words(list));
    for (const name of readdirSync(join(root, 'docs/guides'))) expect(list).toContain(`](guides/${name})`);
  });

  it('docs/adr/README.md: lists every decision record under its title, and explains each missing number', () => {
    const index = read('docs/adr/README.md');
    const records = readdirSync(join(root, 'docs/adr')).filter((name) => /^\d/.test(name));
    const lines = records.map(
      (name) => `- [${read(`docs/adr/${name}`).split('\n')[0]?.slice(2) ?? ''}](${name})`,
    );
    expect(lines.filter((line) => !index.includes(line))).toEqual([]);
    const [, missing = ''] = index.split('\n## Missing numbers\n');
    const explained = [...missing.matchAll(/(\d+)(?: to (\d+))?/g)].flatMap(([, first, last = first]) =>
      Array.from({ length: Number(last) - Number(first) + 1 }, (_, n) => Number(first) + n),
    );
    const numbers = records.map((name) => Number.parseInt(name, 10));
    const unused = Array.from({ length: Math.max(...numbers) }, (_, n) => n + 1).filter(
      (n) => !numbers.includes(n),
    );
    expect(explained).toEqual(unused);
  });
});
