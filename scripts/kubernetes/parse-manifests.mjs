import { parseAllDocuments } from 'yaml';

const TIMESTAMP = 'tag:yaml.org,2002:timestamp';

/** kubectl's parser is YAML 1.1 (`on` is a boolean, `0400` is octal), but leaves dates and times such as `12:30` as strings. */
const KUBECTL_YAML = {
  version: '1.1',
  customTags: (tags) => tags.filter(({ tag, format }) => tag !== TIMESTAMP && format !== 'TIME'),
};

/**
 * Reads YAML or JSON as kubectl does. Lists of manifests are returned as their items.
 * @param {string} text
 * @returns {object[]} @throws Error when it is no YAML
 */
export const parseManifests = (text) =>
  parseAllDocuments(text, KUBECTL_YAML).flatMap((document) => {
    const [error] = document.errors;
    if (error !== undefined) throw error;
    const manifest = document.toJS();
    if (manifest === null) return [];
    return manifest.kind === 'List' ? manifest.items : [manifest];
  });

/** One list in JSON, which YAML 1.1 and 1.2 read alike. @param {object[]} manifests @returns {string} */
export const formatManifests = (manifests) =>
  JSON.stringify({ apiVersion: 'v1', kind: 'List', items: manifests });
