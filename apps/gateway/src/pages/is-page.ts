/** Identity's pages for people, and their assets (contract.md section 1). They stand in no document. */
const PAGE = /^\/(?:login|consent|portal|logout|pages)(?:[/?]|$)/;

export const isPage = (target: string): boolean => PAGE.test(target);
