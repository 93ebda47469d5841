export const DOCUMENT_PATH = '/openapi.json';
