import { readFileSync } from 'node:fs';
import type { ContractDocument } from './document.js';

/** The committed document, which `npm run contract` writes and CI keeps fresh. */
export function loadContract(): ContractDocument {
  return JSON.parse(readFileSync(new URL('../openapi.json', import.meta.url), 'utf8')) as ContractDocument;
}
