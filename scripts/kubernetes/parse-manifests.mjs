import { LineCounter, parseAllDocuments } from 'yaml';

/** @import { Document, DocumentOptions, ParseOptions, SchemaOptions } from 'yaml' */
/** @typedef {{ name: string, image: string, env?: { name: string, value?: string, valueFrom?: { secretKeyRef?: { name: string, key: string, optional?: boolean } } }[] }} Container */
/** @typedef {{ name: string, secret?: { secretName: string, optional?: boolean, items?: { key?: string }[] } }} Volume */
/** @typedef {{ selector?: { matchLabels?: Record<string, string> }, activeDeadlineSeconds?: number, template?: { spec?: { containers?: Container[], volumes?: Volume[] } } }} Spec as much as is read of a workload's */
/** @typedef {{ apiVersion?: string, kind: string, metadata: { name: string, namespace?: string, labels?: Record<string, string>, annotations?: Record<string, string> }, spec?: Spec, data?: Record<string, string>, stringData?: Record<string, string> }} Manifest */
/** @typedef {{ kind: string, metadata: { name: string, namespace: string }, spec: Spec } & Manifest} Workload a Deployment, or a Job */

const TIMESTAMP = 'tag:yaml.org,2002:timestamp';

/**
 * kubectl's parser is YAML 1.1 (`on` is a boolean, `0400` is octal), but leaves dates and times such as `12:30` as strings.
 * @type {DocumentOptions & SchemaOptions}
 */
const KUBECTL_YAML = {
  version: '1.1',
  customTags: (tags) =>
    tags.filter((one) => typeof one === 'string' || (one.tag !== TIMESTAMP && one.format !== 'TIME')),
};

/**
 * Reads YAML or JSON as kubectl does. Lists of manifests are returned as their items.
 * @param {string} text
 * @param {string} [source] what an error calls the text
 * @returns {Manifest[]} @throws Error when it is no YAML. It says where, and quotes nothing, because Secrets are read with it
 */
export function parseManifests(text, source = 'The manifests') {
  const lineCounter = new LineCounter();
  // The parser's own message quotes a line, or a password as an alias or a key.
  /** @type {ParseOptions & DocumentOptions & SchemaOptions} */
  const options = { ...KUBECTL_YAML, lineCounter, prettyErrors: false, logLevel: 'error' };
  /** @param {number} offset @param {string} problem @returns {never} */
  const fail = (offset, problem) => {
    const { line, col } = lineCounter.linePos(offset);
    throw new Error(`${source}, line ${line}, column ${col}: ${problem}`);
  };
  return parseAllDocuments(text, options).flatMap((document) => {
    const [error] = document.errors;
    if (error !== undefined) fail(error.pos[0], `not YAML (${error.code})`);
    const manifest = toManifest(document, fail);
    if (manifest === null) return [];
    return manifest.kind === 'List' && 'items' in manifest ? manifest.items : [manifest];
  });
}

/**
 * @param {Document.Parsed} document
 * @param {(offset: number, problem: string) => never} fail
 * @returns {Manifest | (Manifest & { items: Manifest[] }) | null}
 */
function toManifest(document, fail) {
  try {
    return /** @type {Manifest | (Manifest & { items: Manifest[] }) | null} */ (document.toJS());
  } catch {
    return fail(document.range[0], 'a document with an alias or a merge key that cannot be resolved');
  }
}

/** @param {Manifest} manifest of a Deployment or a Job @returns {Workload} @throws Error when it has no namespace or no spec */
export function toWorkload({ metadata: { namespace, ...metadata }, spec, ...manifest }) {
  if (namespace === undefined || spec === undefined)
    throw new Error(`${manifest.kind} ${metadata.name} has no namespace or no spec`);
  return { ...manifest, metadata: { ...metadata, namespace }, spec };
}

/**
 * Formats manifests as a list in JSON, which YAML 1.1 and 1.2 read alike.
 * @param {object[]} manifests @returns {string}
 */
export const formatManifests = (manifests) =>
  JSON.stringify({ apiVersion: 'v1', kind: 'List', items: manifests });
