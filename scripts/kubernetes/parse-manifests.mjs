import { LineCounter, parseAllDocuments } from 'yaml';

const TIMESTAMP = 'tag:yaml.org,2002:timestamp';

/** kubectl's parser is YAML 1.1 (`on` is a boolean, `0400` is octal), but leaves dates and times such as `12:30` as strings. */
const KUBECTL_YAML = {
  version: '1.1',
  customTags: (tags) => tags.filter(({ tag, format }) => tag !== TIMESTAMP && format !== 'TIME'),
};

/**
 * Reads YAML or JSON as kubectl does. Lists of manifests are returned as their items.
 * @param {string} text
 * @param {string} source what an error calls the text
 * @returns {object[]} @throws Error when it is no YAML. It says where, and quotes nothing, because Secrets are read with it
 */
export function parseManifests(text, source = 'The manifests') {
  const lineCounter = new LineCounter();
  // The parser's own message quotes a line, or a password as an alias or a key.
  const options = { ...KUBECTL_YAML, lineCounter, prettyErrors: false, logLevel: 'error' };
  const fail = (offset, problem) => {
    const { line, col } = lineCounter.linePos(offset);
    throw new Error(`${source}, line ${line}, column ${col}: ${problem}`);
  };
  return parseAllDocuments(text, options).flatMap((document) => {
    const [error] = document.errors;
    if (error !== undefined) fail(error.pos[0], `not YAML (${error.code})`);
    let manifest;
    try {
      manifest = document.toJS();
    } catch {
      fail(document.range[0], 'a document with an alias or a merge key that cannot be resolved');
    }
    if (manifest === null) return [];
    return manifest.kind === 'List' ? manifest.items : [manifest];
  });
}

/** One list in JSON, which YAML 1.1 and 1.2 read alike. @param {object[]} manifests @returns {string} */
export const formatManifests = (manifests) =>
  JSON.stringify({ apiVersion: 'v1', kind: 'List', items: manifests });
