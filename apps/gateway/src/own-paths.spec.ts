import { loadOpenApiDocument, parseOperations } from '@app/openapi';
import { describe, expect, it } from '@jest/globals';
import { DOCUMENT_PATH, isPagePath } from './own-paths.js';

describe('isPagePath', () => {
  it('isPagePath: is true of no operation of the document, whose responses scripts of other origins may read', () => {
    const paths = parseOperations(loadOpenApiDocument()).map(({ path }) => path);
    expect(paths.length).toBeGreaterThan(50);
    expect([...paths, DOCUMENT_PATH].filter(isPagePath)).toEqual([]);
  });

  it.each([
    ['/portal', true],
    ['/portal/applications?page=2', true],
    ['/login?x', true],
    ['/pages/login.js', true],
    ['/portals', false],
    ['/', false],
    ['/x/login', false],
  ])('isPagePath: %s is a page: %s', (path, isPage) => {
    expect(isPagePath(path)).toBe(isPage);
  });
});
