export const DOCUMENT_PATH = '/openapi.json';
export const EXPLORER_PATH = '/explorer';
export const DOCUMENTATION_PATH = '/docs';
export const LLMS_PATH = '/llms.txt';
export const CLIENT_PACKAGE_PATH = '/client.tgz';

/** Paths of identity's pages and their assets (contract.md section 1), which the OpenAPI document does not have. */
const PAGE_PATH = /^\/(?:login|consent|portal|logout|wallet-links|pages)(?:[/?]|$)/;

export const isPagePath = (target: string): boolean => PAGE_PATH.test(target);
