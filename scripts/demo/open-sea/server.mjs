import { createServer } from 'node:http';

/** @typedef {{ chain: string, owner: string, contract: string, identifier: string }} StandInItem */
/** @typedef {Record<string, { contracts: { chain: string, address: string }[], items: StandInItem[] }>} Collections by slug */

const DEFAULT_PAGE_SIZE = 50;
const MAX_PAGE_SIZE = 200;

/**
 * Answers like version 2 of the OpenSea API: collections, and the items of accounts, in pages.
 * @param {object} options
 * @param {string} options.apiKey
 * @param {Collections} options.collections may change
 * @param {number} [options.maxPageSize]
 * @param {(request: import('node:http').IncomingMessage, response: import('node:http').ServerResponse) => boolean} [options.intercept] true when it answers, or leaves without an answer
 * @returns {import('node:http').Server}
 */
export function createOpenSeaServer({
  apiKey,
  collections,
  maxPageSize = MAX_PAGE_SIZE,
  intercept = () => false,
}) {
  /** @param {import('node:http').IncomingMessage} request */
  const answer = (request) => {
    if (request.headers['x-api-key'] !== apiKey)
      return { status: 401, body: { errors: ['Invalid API key'] } };
    const url = new URL(request.url ?? '/', 'http://localhost');
    const slug = /^\/api\/v2\/collections\/([^/]+)$/.exec(url.pathname)?.[1];
    if (slug !== undefined) {
      const found = Object.hasOwn(collections, slug) ? collections[slug] : undefined;
      if (!found) return { status: 404, body: { errors: [`Collection with slug ${slug} not found`] } };
      return { status: 200, body: { collection: slug, name: slug, contracts: found.contracts } };
    }
    const [, chain, account] = /^\/api\/v2\/chain\/([^/]+)\/account\/([^/]+)\/nfts$/.exec(url.pathname) ?? [];
    if (chain === undefined || account === undefined) return { status: 404, body: { errors: ['Not found'] } };
    const query = url.searchParams;
    return { status: 200, body: listItems({ collections, maxPageSize, chain, account, query }) };
  };

  return createServer((request, response) => {
    if (intercept(request, response)) return;
    const { status, body } = answer(request);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
}

/**
 * @param {{ collections: Collections, maxPageSize: number, chain: string, account: string, query: URLSearchParams }} options
 */
function listItems({ collections, maxPageSize, chain, account, query }) {
  const name = query.get('collection') ?? '';
  const size = Math.min(maxPageSize, Number(query.get('limit') ?? DEFAULT_PAGE_SIZE));
  const start = Number(Buffer.from(query.get('next') ?? '', 'base64url').toString() || 0);
  const held = (collections[name]?.items ?? []).filter(
    (item) => item.chain === chain && item.owner.toLowerCase() === account.toLowerCase(),
  );
  const end = start + size;
  const nfts = held.slice(start, end).map(({ identifier, contract }) => ({
    identifier,
    contract,
    collection: name,
    token_standard: 'erc721',
  }));
  return end < held.length ? { nfts, next: Buffer.from(String(end)).toString('base64url') } : { nfts };
}
